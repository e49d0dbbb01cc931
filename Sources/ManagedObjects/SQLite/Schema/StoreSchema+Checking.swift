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

  /// Checks that rows can't be mistaken for those of other entities.
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
      NSPersistentStoreIncompatibleSchemaError, text, [NSFilePathErrorKey: connection.path])
  }
}
