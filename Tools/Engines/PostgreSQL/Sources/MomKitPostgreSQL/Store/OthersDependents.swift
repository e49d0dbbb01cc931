import RelationalSchemas

/// What others have made that depends on a store's tables: views, foreign keys, triggers, columns.
///
/// The server drops all of that with the tables, so it is looked for before tables are dropped.
struct OthersDependents {
  /// The names of the relations to drop: tables and sequences.
  private let relations: [String]
  /// The names of the enumerations to drop.
  private let types: [String]
  /// The names of all of the store's tables, whose references to each other don't count.
  private let own: [String]
  /// The columns that the tables should have: the names of their tables, and their own. Nil if others' columns, triggers
  /// and policies may be dropped with the tables.
  private let columns: (tables: [String], names: [String])?

  /// For dropping all of a store's tables.
  init(_ schema: RelationalSchema, further: [String]) {
    own = schema.tables.map(\.name) + schema.joinTables.map(\.name) + further
    relations = own + schema.tables.map(\.sequence)
    types = schema.tables.compactMap(\.entityType)
    columns = nil
  }

  /// For replacing some of a store's tables by others.
  init(
    replacing tables: [RelationalTable], _ joins: [RelationalJoinTable], of schema: RelationalSchema
  ) {
    own = schema.tables.map(\.name) + schema.joinTables.map(\.name)
    relations = tables.map(\.name) + joins.map(\.name) + tables.map(\.sequence)
    types = tables.compactMap(\.entityType)
    let pairs =
      tables.flatMap { table in table.allColumns.map { (table.name, $0) } }
      + joins.flatMap { join in join.allColumns.map { (join.name, $0) } }
    columns = (pairs.map(\.0), pairs.map(\.1))
  }

  /// Returns the descriptions of what there is, such as `view report`.
  func descriptions(_ connection: PostgreSQLConnection) throws -> [String] {
    var parameters = PostgreSQLParameters()
    for names in [relations, types, own, columns?.tables ?? [], columns?.names ?? []] {
      parameters.append(texts: names)
    }
    parameters.append(.boolean(columns != nil))
    var statement = PostgreSQLConnection.Statement(Self.query, parameters)
    statement.isKept = false
    var found: [String] = []
    try connection.run(statement) { found.append($0.text(0)) }
    return found
  }

  // `n` are dependents that only CASCADE drops, `a` those that are dropped in any case.
  private static let query = """
    WITH here AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema()),
    gone AS (
      SELECT c.oid FROM pg_class c JOIN here ON c.relnamespace = here.oid WHERE c.relname = ANY ($1)
    ),
    gone_types AS (
      SELECT unnest(ARRAY[t.oid, t.typarray]) AS oid FROM pg_type t JOIN here ON t.typnamespace = here.oid
      WHERE t.typname = ANY ($1) OR t.typname = ANY ($2)
    ),
    own AS (
      SELECT c.oid FROM pg_class c JOIN here ON c.relnamespace = here.oid WHERE c.relname = ANY ($3)
    )
    SELECT CASE WHEN r.rulename = '_RETURN' THEN pg_describe_object('pg_class'::regclass, r.ev_class, 0)
      ELSE pg_describe_object(d.classid, d.objid, d.objsubid) END
    FROM pg_depend d
    LEFT JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
    LEFT JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
    LEFT JOIN pg_attrdef a ON d.classid = 'pg_attrdef'::regclass AND a.oid = d.objid
    LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
    LEFT JOIN pg_index i ON i.indexrelid = c.oid
    WHERE (d.refclassid = 'pg_class'::regclass AND d.refobjid IN (SELECT oid FROM gone)
        OR d.refclassid = 'pg_type'::regclass AND d.refobjid IN (SELECT oid FROM gone_types))
      AND (d.deptype = 'n' OR $6 AND d.deptype = 'a')
      AND coalesce(k.conrelid, a.adrelid, i.indrelid, c.oid, CASE WHEN NOT $6 THEN r.ev_class END, 0)
        NOT IN (SELECT oid FROM own)
    UNION
    SELECT pg_describe_object('pg_class'::regclass, a.attrelid, a.attnum)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind <> 'S'
    WHERE $6 AND a.attrelid IN (SELECT oid FROM gone) AND a.attnum > 0 AND NOT a.attisdropped
      AND NOT EXISTS (SELECT FROM unnest($4, $5) AS known(t, n) WHERE t = c.relname AND n = a.attname)
    ORDER BY 1
    """
}

extension RelationalTable {
  /// The names of all columns.
  var allColumns: [String] {
    [Self.keyColumn, Self.versionColumn] + (entityType == nil ? [] : [Self.entityColumn])
      + columns.map(\.name)
  }
}

extension RelationalJoinTable {
  /// The names of all columns.
  var allColumns: [String] {
    [ownerColumn, memberColumn] + [memberPosition, ownerPosition].compactMap { $0 }
  }
}
