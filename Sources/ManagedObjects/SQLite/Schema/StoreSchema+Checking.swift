import Foundation

/// A layout and a real file.
extension StoreSchema {
  /// A table that lacks columns, or isn't there at all.
  struct Gap {
    let table: String
    let columns: [String]
    let isWhole: Bool
  }

  /// Makes sure that every column is where the model says: nothing is ever read or written by guess.
  func check(in connection: SQLiteConnection) throws {
    guard let gap = try gaps(in: connection).first else { return }
    throw incompatible(
      "The store's table \(gap.table) "
        + (gap.isWhole ? "is missing." : "has no column \(gap.columns.joined(separator: ", "))."),
      connection)
  }

  /// What of the model's tables the file lacks.
  func gaps(in connection: SQLiteConnection) throws -> [Gap] {
    let needed =
      tables.map { ($0.name, $0.columns.map(\.name)) }
      + joinTables.map { join in
        (
          join.name,
          [join.ownerKey, join.inverseKey, join.ownerOrder, join.inverseOrder].compactMap { $0 }
        )
      }
    return try needed.compactMap { table, columns in
      var present: Set<String> = []
      try connection.withStatement("SELECT name FROM pragma_table_info(?)") { row in
        try row.bind(table, at: 1)
        while try row.step() { present.insert(row.text(at: 0) ?? "") }
      }
      let missing = columns.filter { !present.contains($0) }
      return missing.isEmpty
        ? nil : Gap(table: table, columns: missing, isWhole: present.isEmpty)
    }
  }

  /// Makes sure that no rows are taken for other entities'.
  ///
  /// - Throws: an error when an entity has another number in the file.
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

  /// Has a connection that only reads find null where the file lacks columns, and no rows where it lacks
  /// tables: temporary views take the tables' names.
  ///
  /// - Throws: an error when entities have other numbers in the file, so that rows would be taken for others.
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
      NSPersistentStoreIncompatibleSchemaError, text, [NSFilePathErrorKey: connection.path])
  }
}
