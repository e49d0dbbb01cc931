/// The statements that create an empty store.
extension StoreSchema {
  /// The tables in every store, whatever its model.
  static let bookkeepingTables = [
    """
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, \
    Z_MAX INTEGER)
    """,
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
  ]

  /// The table that contains a copy of the model.
  static let modelCacheTable = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

  /// All statements that create the empty tables, in executable order: entity tables and join tables, indexes,
  /// triggers, bookkeeping.
  package var statements: [String] {
    SchemaNames.inOrder(tables, \.name).map(\.createStatement)
      + joinTables.map(\.createStatement)
      + indexes.map(\.statement)
      + rTrees.map(\.statement)
      + (triggers + rTreeTriggers).map(\.statement)
      + Self.bookkeepingTables
      + (version.hasModelCache ? [Self.modelCacheTable] : [])
  }
}
