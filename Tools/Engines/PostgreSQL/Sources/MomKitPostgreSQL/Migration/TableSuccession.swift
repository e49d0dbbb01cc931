import Foundation
import RelationalSchemas

/// What others have given a table that is replaced in a migration, and its successor gets: its owner, privileges on it,
/// and indexes.
struct TableSuccession {
  /// An index that others have made.
  private struct Index {
    let definition: String
    let table: String
    let columns: Set<String>
  }

  private let connection: PostgreSQLConnection
  private var indexes: [Index] = []

  /// Reads the indexes of tables that will be replaced.
  init(
    _ connection: PostgreSQLConnection, replacing tables: [RelationalTable],
    _ joins: [RelationalJoinTable]
  ) throws {
    self.connection = connection
    var parameters = PostgreSQLParameters()
    parameters.append(texts: tables.map(\.name) + joins.map(\.name))
    // The server has cut names that weren't shortened, as the cast does.
    let backs = joins.flatMap { [$0.backIndex, "\($0.name)_back"] }
    parameters.append(texts: tables.flatMap { $0.indexes.map(\.name) } + backs)
    var statement = PostgreSQLConnection.Statement(
      """
      SELECT pg_get_indexdef(i.indexrelid), t.relname::text,
        (SELECT array_to_json(array_agg(a.attname))::text FROM pg_depend d JOIN pg_attribute a
         ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
         WHERE d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid AND d.refobjid = t.oid)
      FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
      JOIN pg_namespace n ON n.oid = t.relnamespace
      WHERE n.nspname = current_schema() AND t.relname = ANY ($1) AND x.relname <> ALL ($2::name[])
        AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = x.oid AND k.conrelid = t.oid)
      ORDER BY x.relname
      """, parameters)
    statement.isKept = false
    try connection.run(statement) { row in
      let columns = row.isNull(2) ? [] : try JSONDecoder().decode([String].self, from: row.data(2))
      indexes.append(
        Index(definition: row.text(0), table: row.text(1), columns: Set(columns)))
    }
  }

  /// Makes the indexes again, where there are a table and columns of the same names.
  func makeIndexes(_ schema: RelationalSchema) throws {
    var columns: [String: Set<String>] = [:]
    for table in schema.tables { columns[table.name] = Set(table.allColumns) }
    for join in schema.joinTables { columns[join.name] = Set(join.allColumns) }
    for index in indexes where columns[index.table]?.isSuperset(of: index.columns) == true {
      try connection.execute(index.definition)
    }
  }

  /// Gives a table or sequence the owner of another, and the privileges on it.
  ///
  /// - Parameters:
  ///   - kind: `TABLE` or `SEQUENCE`.
  ///   - type: the enumeration that gets the same owner.
  func hand(from old: String, to new: String, _ kind: String, type: String? = nil) throws {
    var parameters = PostgreSQLParameters()
    parameters.append(old)
    parameters.append(new)
    parameters.append(type.map { .text($0) } ?? .null(PostgreSQLParameters.TypeNumber.text))
    var statement = PostgreSQLConnection.Statement(
      """
      WITH pair AS (
        SELECT o.oid AS old, o.relowner, o.relacl, n.oid::regclass AS new, n.relowner AS owner, n.relacl AS acl
        FROM pg_class o, pg_class n WHERE o.oid = $1::text::regclass AND n.oid = $2::text::regclass
      ),
      rights AS (
        SELECT new, privilege_type AS what, '' AS columns, grantee, is_grantable
        FROM pair, aclexplode(relacl) WHERE grantee <> relowner
        UNION ALL
        SELECT new, privilege_type, format('(%I)', c.attname), grantee, is_grantable
        FROM pair JOIN pg_attribute c ON c.attrelid = old JOIN pg_attribute same
          ON same.attrelid = new AND same.attname = c.attname AND NOT same.attisdropped,
        aclexplode(c.attacl)
      )
      SELECT 1, format('ALTER \(kind) %s OWNER TO %I', new, pg_get_userbyid(relowner))
      FROM pair WHERE owner <> relowner
      UNION ALL
      SELECT 2, format('ALTER TYPE %I OWNER TO %I', $3, pg_get_userbyid(relowner))
      FROM pair WHERE owner <> relowner AND $3 IS NOT NULL
      UNION ALL
      SELECT 3, format('REVOKE ALL ON \(kind) %s FROM %s', new, \(Self.role))
      FROM pair, aclexplode(acl) WHERE grantee <> owner
      UNION ALL
      SELECT 4, format('GRANT %s %s ON \(kind) %s TO %s', what, columns, new, \(Self.role))
        || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END FROM rights
      ORDER BY 1, 2
      """, parameters)
    statement.isKept = false
    var statements: [String] = []
    try connection.run(statement) { statements.append($0.text(1)) }
    guard !statements.isEmpty else { return }
    try connection.execute(statements.joined(separator: "; "))
  }

  private static let role =
    "CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END"
}
