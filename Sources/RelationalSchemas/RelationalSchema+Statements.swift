/// The SQL statements that create the tables.
extension RelationalSchema {
  /// Returns all statements, in an order in which they can be executed.
  public func statements(in dialect: SQLDialect) -> [String] {
    var statements: [String] = []
    for table in tables { statements += preparations(for: table, in: dialect) }
    for table in tables { statements.append(creation(of: table, in: dialect)) }
    for table in tables { statements += foreignKeys(of: table, in: dialect) }
    for join in joinTables { statements += creation(of: join, in: dialect) }
    for table in tables { statements += indexes(of: table, in: dialect) }
    return statements
  }

  /// Returns all statements as one string, each terminated by a semicolon.
  public func script(in dialect: SQLDialect) -> String {
    statements(in: dialect).map { $0 + ";\n" }.joined(separator: "\n")
  }

  /// Returns the statements that must precede a table's creation: for the enumeration of its entities and the
  /// sequence of its keys.
  public func preparations(for table: RelationalTable, in dialect: SQLDialect) -> [String] {
    var statements: [String] = []
    if let type = table.entityType, dialect != .sqlite {
      let names = dialect.labels(of: table.entityNames)
      statements.append("CREATE TYPE \(dialect.quoted(type)) AS ENUM (\(names))")
    }
    if dialect != .sqlite {
      statements.append(
        "CREATE SEQUENCE \(dialect.quoted(table.sequence)) INCREMENT BY \(RelationalTable.keysAtOnce)"
      )
    }
    return statements
  }

  /// Returns the statement that creates a table.
  public func creation(of table: RelationalTable, in dialect: SQLDialect) -> String {
    let key = dialect.quoted(RelationalTable.keyColumn)
    var lines: [String]
    switch dialect {
    case .sqlite: lines = ["\(key) integer PRIMARY KEY"]
    case .postgreSQL, .duckDB:
      lines = [
        "\(key) bigint PRIMARY KEY DEFAULT nextval(\(dialect.literal(dialect.quoted(table.sequence))))"
      ]
    }
    if let type = table.entityType {
      let name = dialect.quoted(RelationalTable.entityColumn)
      let names = dialect.labels(of: table.entityNames)
      lines.append(
        dialect == .sqlite
          ? "\(name) text NOT NULL CHECK (\(name) IN (\(names)))"
          : "\(name) \(dialect.quoted(type)) NOT NULL")
    }
    lines.append("\(dialect.quoted(RelationalTable.versionColumn)) bigint NOT NULL DEFAULT 1")
    for column in table.columns { lines.append(definition(of: column, of: table, in: dialect)) }
    for column in table.columns where column.isRequired && column.entityNames != nil {
      lines.append("CHECK (\(requirement(column, dialect)))")
    }
    for unique in table.uniques {
      if let constraint = constraint(unique, dialect) { lines.append(constraint) }
    }
    if dialect == .sqlite {
      for column in table.columns {
        guard case .toOne(let target, let isKept) = column.kind else { continue }
        lines.append(
          "FOREIGN KEY (\(dialect.quoted(column.name))) "
            + reference(to: target, isKept: isKept, in: dialect))
      }
    }
    return "CREATE TABLE \(dialect.quoted(table.name)) (\n  \(lines.joined(separator: ",\n  "))\n)"
  }

  /// Returns a column's definition, as used in `CREATE TABLE` and `ADD COLUMN`.
  func definition(
    of column: RelationalColumn, of table: RelationalTable, in dialect: SQLDialect
  ) -> String {
    let name = dialect.quoted(column.name)
    var sql = "\(name) \(dialect.name(of: column.type))"
    if column.isRequired, column.entityNames == nil { sql += " NOT NULL" }
    // Rows of entities without the property must not get its default value.
    if let standard = column.standard, column.entityNames == nil {
      let literal = dialect.literal(standard, of: column.type)
      sql += " DEFAULT \(dialect == .sqlite ? "(\(literal))" : literal)"
    }
    for check in column.checks { sql += " CHECK (\(condition(check, on: column, in: dialect)))" }
    return sql
  }

  /// Returns the condition that rows of the entities that have a property have a value for it.
  func requirement(_ column: RelationalColumn, _ dialect: SQLDialect) -> String {
    let names = dialect.labels(of: column.entityNames ?? [])
    return "\(dialect.quoted(RelationalTable.entityColumn)) NOT IN (\(names)) OR "
      + "\(dialect.quoted(column.name)) IS NOT NULL"
  }

  private func condition(
    _ check: RelationalCheck, on column: RelationalColumn, in dialect: SQLDialect
  ) -> String {
    let name = dialect.quoted(column.name)
    switch check {
    case .value(let symbol, let literal):
      return "\(name) \(symbol) \(dialect.literal(literal, of: column.type))"
    case .byteCount(let least):
      return dialect == .postgreSQL
        ? "octet_length(\(name)) >= \(least)"
        : dialect == .sqlite
          ? "length(CAST(\(name) AS blob)) >= \(least)" : "strlen(\(name)) >= \(least)"
    case .characterCount(let most):
      return dialect == .postgreSQL
        ? "char_length(\(name)) <= \(most)" : "length(\(name)) <= \(most)"
    }
  }

  // MARK: Constraints

  /// Returns a table constraint, or nil if the dialect needs an index instead.
  func constraint(_ unique: RelationalUnique, _ dialect: SQLDialect) -> String? {
    let columns = unique.columns.map(dialect.quoted)
    let name = dialect.quoted(unique.name)
    // Deferred until all of a save has been written, since objects may exchange values.
    let isDeferred = dialect == .postgreSQL ? " DEFERRABLE INITIALLY DEFERRED" : ""
    guard let entityNames = unique.entityNames else {
      return "CONSTRAINT \(name) UNIQUE (\(columns.joined(separator: ", ")))\(isDeferred)"
    }
    guard dialect == .postgreSQL else { return nil }
    let names = dialect.labels(of: entityNames)
    let terms = columns.map { "\($0) WITH =" }.joined(separator: ", ")
    return "CONSTRAINT \(name) EXCLUDE (\(terms)) WHERE "
      + "(\(dialect.quoted(RelationalTable.entityColumn)) IN (\(names)))\(isDeferred)"
  }

  private func reference(to target: String, isKept: Bool, in dialect: SQLDialect) -> String {
    "REFERENCES \(dialect.quoted(target)) (\(dialect.quoted(RelationalTable.keyColumn)))"
      + (isKept ? "" : " ON DELETE SET NULL") + " DEFERRABLE INITIALLY DEFERRED"
  }

  /// Returns the statements that add a table's foreign keys once all tables exist; empty except for PostgreSQL.
  /// DuckDB can neither add foreign keys later nor declare them between tables that reference each other: its tables
  /// are for reading.
  public func foreignKeys(of table: RelationalTable, in dialect: SQLDialect) -> [String] {
    guard dialect == .postgreSQL else { return [] }
    return table.columns.compactMap { column in
      guard case .toOne(let target, let isKept) = column.kind else { return nil }
      return "ALTER TABLE \(dialect.quoted(table.name)) ADD FOREIGN KEY "
        + "(\(dialect.quoted(column.name))) \(reference(to: target, isKept: isKept, in: dialect))"
    }
  }

  /// Returns the statements that create a join table and its second index.
  public func creation(of join: RelationalJoinTable, in dialect: SQLDialect) -> [String] {
    func side(_ column: String, _ table: String) -> String {
      var sql = "\(dialect.quoted(column)) bigint NOT NULL REFERENCES \(dialect.quoted(table)) "
      sql += "(\(dialect.quoted(RelationalTable.keyColumn)))"
      if dialect != .duckDB { sql += " ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED" }
      return sql
    }
    var lines = [
      side(join.ownerColumn, join.ownerTable), side(join.memberColumn, join.memberTable),
    ]
    for position in [join.memberPosition, join.ownerPosition].compactMap({ $0 }) {
      lines.append("\(dialect.quoted(position)) bigint")
    }
    lines.append(
      "PRIMARY KEY (\(dialect.quoted(join.ownerColumn)), \(dialect.quoted(join.memberColumn)))")
    return [
      "CREATE TABLE \(dialect.quoted(join.name)) (\n  \(lines.joined(separator: ",\n  "))\n)",
      "CREATE INDEX \(dialect.quoted(join.backIndex)) ON \(dialect.quoted(join.name)) "
        + "(\(dialect.quoted(join.memberColumn)), \(dialect.quoted(join.ownerColumn)))",
    ]
  }

  /// Returns a column of an index, in the order in which fetches sort it: nulls first.
  private func term(
    for column: (name: String, isAscending: Bool), of table: RelationalTable,
    _ index: RelationalIndex, in dialect: SQLDialect
  ) -> String {
    var name = dialect.quoted(column.name)
    guard dialect != .duckDB else { return name }
    let found = table.columns.first { $0.name == column.name }
    if dialect == .postgreSQL, let found,
      let length = table.indexedLength(of: found, in: index)
    {
      name = "left(\(name), \(length))"
    }
    let isRequired = found.map { $0.isRequired && $0.entityNames == nil } ?? false
    let nulls =
      dialect == .sqlite || isRequired
      ? "" : column.isAscending ? " NULLS FIRST" : " NULLS LAST"
    return "\(name)\(column.isAscending ? "" : " DESC")\(nulls)"
  }

  /// Returns the statements that create a table's indexes.
  public func indexes(of table: RelationalTable, in dialect: SQLDialect) -> [String] {
    let indexes = table.indexes.filter { dialect != .postgreSQL || table.hasIndexInPostgreSQL($0) }
    var statements = indexes.map { index in
      let columns = index.columns.map { term(for: $0, of: table, index, in: dialect) }
      return "CREATE INDEX \(dialect.quoted(index.name)) ON \(dialect.quoted(table.name)) "
        + "(\(columns.joined(separator: ", ")))"
    }
    // PostgreSQL has exclusion constraints for this; DuckDB has no partial indexes, so nothing is enforced.
    guard dialect == .sqlite else { return statements }
    for unique in table.uniques {
      guard let entityNames = unique.entityNames else { continue }
      let names = dialect.labels(of: entityNames)
      statements.append(
        "CREATE UNIQUE INDEX \(dialect.quoted(unique.name)) ON \(dialect.quoted(table.name)) "
          + "(\(unique.columns.map(dialect.quoted).joined(separator: ", "))) WHERE "
          + "\(dialect.quoted(RelationalTable.entityColumn)) IN (\(names))")
    }
    return statements
  }
}
