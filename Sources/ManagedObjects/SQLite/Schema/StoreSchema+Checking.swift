import Foundation

/// Comparison of the schema with a file.
extension StoreSchema {
  /// A table that lacks columns or is missing.
  struct Gap {
    let table: String
    let columns: [String]
    let isWhole: Bool
  }

  /// Checks that all columns exist, so that nothing is read or written by guesswork.
  func check(in connection: SQLiteConnection) throws {
    guard let gap = try gaps(in: connection).first else { return }
    throw incompatible(
      "The store's table \(gap.table) "
        + (gap.isWhole ? "is missing." : "has no column \(gap.columns.joined(separator: ", "))."),
      connection)
  }

  /// The parts of the model's tables that the file lacks.
  func gaps(in connection: SQLiteConnection) throws -> [Gap] {
    // Most tables are as Core Data makes them; only of the others are the columns asked for.
    let statements = try Self.statements(in: connection)
    let needed =
      tables.filter { statements[$0.name] != $0.createStatement }
      .map { ($0.name, $0.columns.map(\.name)) }
      + joinTables.filter { statements[$0.name] != $0.createStatement }
      .map { join in
        (
          join.name,
          [join.ownerKey, join.inverseKey, join.ownerOrder, join.inverseOrder].compactMap { $0 }
        )
      }
    guard !needed.isEmpty else { return [] }
    let present = try Self.columns(in: connection)
    return try needed.compactMap { table, needed in
      let present = try present[table] ?? Self.columns(of: table, in: connection)
      let missing = needed.filter { !present.contains($0) }
      return missing.isEmpty
        ? nil : Gap(table: table, columns: missing, isWhole: present.isEmpty)
    }
  }

  /// The tables and join tables that are views in the file, which has no rows of its own for them.
  func viewsInsteadOfTables(in connection: SQLiteConnection) throws -> [String] {
    let views = try connection.withStatement(
      "SELECT name FROM sqlite_master WHERE type = 'view'"
    ) { row in
      var views: Set<String> = []
      while try row.step() { views.insert(SchemaNames.folded(row.text(at: 0) ?? "")) }
      return views
    }
    return (tables.map(\.name) + joinTables.map(\.name)).filter {
      views.contains(SchemaNames.folded($0))
    }
  }

  /// The statements that made the file's tables, by the tables' names.
  private static func statements(in connection: SQLiteConnection) throws -> [String: String] {
    var statements: [String: String] = [:]
    try connection.withStatement("SELECT name, sql FROM sqlite_master WHERE type = 'table'") {
      row in
      while try row.step() {
        if let name = row.text(at: 0), let sql = row.text(at: 1) { statements[name] = sql }
      }
    }
    return statements
  }

  /// The columns of all tables, in one statement and so one read transaction. Virtual tables are left out: their
  /// modules may not be available.
  private static func columns(in connection: SQLiteConnection) throws -> [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    try connection.withStatement(
      """
      SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'
      """
    ) { row in
      var table = ""
      var present: Set<String> = []
      while try row.step() {
        let next = row.text(at: 0) ?? ""
        if next != table {
          columns[table] = present
          (table, present) = (next, [])
        }
        present.insert(row.text(at: 1) ?? "")
      }
      columns[table] = present
    }
    columns[""] = nil
    return columns
  }

  /// The columns of a table or view, ignoring the case of its name; empty if there is none.
  private static func columns(
    of table: String, in connection: SQLiteConnection
  ) throws -> Set<String> {
    try connection.withStatement("SELECT name FROM pragma_table_info(?)") { row in
      try row.bind(table, at: 1)
      var columns: Set<String> = []
      while try row.step() { columns.insert(row.text(at: 0) ?? "") }
      return columns
    }
  }

  /// Makes sure that no rows are taken for other entities'.
  ///
  /// - Throws: an error if an entity has another number in the file.
  func checkNumbers(in connection: SQLiteConnection) throws {
    try connection.withStatement("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY") { row in
      while try row.step() {
        let name = row.text(at: 0) ?? ""
        guard let entity = self[name], entity.number != Int(row.integer(at: 1)) else { continue }
        throw incompatible(
          "The entity '\(name)' has another number in the store than in the model.", connection)
      }
    }
  }

  /// Creates temporary views in place of incomplete tables on a read-only connection, so that missing columns read as
  /// null, and missing tables as empty.
  ///
  /// - Throws: an error if entities have other numbers in the file, so that rows would be mistaken for those of other
  ///   entities.
  func cover(_ gaps: [Gap], in connection: SQLiteConnection) throws {
    try checkNumbers(in: connection)
    let isQueryOnly = try connection.integer("PRAGMA query_only") ?? 0
    try connection.execute("PRAGMA query_only=0")
    for gap in gaps {
      let nulls = gap.columns.map { "NULL AS \($0)" }.joined(separator: ", ")
      try connection.execute(
        gap.isWhole
          ? "CREATE TEMP VIEW \(gap.table) AS SELECT \(nulls) WHERE 0"
          : "CREATE TEMP VIEW \(gap.table) AS SELECT *, \(nulls) FROM main.\(gap.table)")
    }
    try connection.execute("PRAGMA query_only=\(isQueryOnly)")
  }

  private func incompatible(_ text: String, _ connection: SQLiteConnection) -> NSError {
    CoreDataError.make(
      NSPersistentStoreIncompatibleSchemaError, text,
      userInfo: [NSFilePathErrorKey: connection.path])
  }
}
