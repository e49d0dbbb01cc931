/// Which tables of a store's file are Core Data's; all others are the program's.
///
/// SQLite ignores case in names.
struct OwnTables {
  private let tables: Set<String>
  private let indexes: Set<String>

  init(_ schema: StoreSchema) {
    tables = Set(
      (schema.tables.map(\.name) + schema.joinTables.map(\.name)
        + ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]).map { $0.lowercased() })
    indexes = Set(schema.indexes.map { $0.name.lowercased() })
  }

  /// Whether a table is Core Data's: of the schema, of the history, by which it keeps account (`Z_PRIMARYKEY`), of an R-tree
  /// (`Z_Place_byPosition`), or of CloudKit's mirror.
  func contain(_ table: String) -> Bool {
    let name = table.lowercased()
    return tables.contains(name) || ["z_", "ansck"].contains(where: name.hasPrefix)
  }

  /// Whether an index of such a table is Core Data's.
  func hasIndex(_ name: String) -> Bool {
    indexes.contains(name.lowercased()) || name.hasPrefix("Z")
  }

  /// Whether a trigger of such a table is Core Data's: one for derived attributes, or for an R-tree.
  func hasTrigger(_ name: String) -> Bool { name.hasPrefix("Z_") }
}
