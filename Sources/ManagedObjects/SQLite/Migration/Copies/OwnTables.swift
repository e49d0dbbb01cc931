/// Which tables of a store's file are Core Data's; all others are the program's.
///
/// SQLite ignores case in names.
struct OwnTables {
  private let tables: Set<String>
  private let indexes: Set<String>
  private let triggers: Set<String>

  init(_ schema: StoreSchema, in connection: SQLiteConnection) throws {
    let trees = try StoreSchema.presentRTrees(of: [schema], in: connection)
    let parts = trees.flatMap { tree in ["", "_node", "_parent", "_rowid"].map { tree + $0 } }
    let kept = [
      "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ]
    let named = schema.tables.map(\.name) + schema.joinTables.map(\.name) + parts + kept
    tables = Set(named.map { $0.lowercased() })
    indexes = Set(schema.indexes.map { $0.name.lowercased() })
    triggers = Set(
      trees.flatMap { tree in ["_insert", "_update", "_delete"].map { tree.lowercased() + $0 } })
  }

  /// Whether a table is Core Data's: of the schema, a former join table, of the history, by which it keeps account
  /// (`Z_PRIMARYKEY`), of an R-tree (`Z_Place_byPosition`), or of CloudKit's mirror.
  func contain(_ table: String) -> Bool {
    let name = table.lowercased()
    let isJoin =
      name.hasPrefix("z_") && name.dropFirst(2).first.map { $0.isASCII && $0.isNumber } == true
    return tables.contains(name) || isJoin || name.hasPrefix("ansck")
  }

  /// Whether an index of such a table is Core Data's.
  func hasIndex(_ name: String) -> Bool {
    indexes.contains(name.lowercased()) || name.hasPrefix("Z")
  }

  /// Whether a trigger of such a table is Core Data's: one for derived attributes, or for an R-tree.
  func hasTrigger(_ name: String) -> Bool {
    name.hasPrefix("Z_DA_") || triggers.contains(name.lowercased())
  }
}
