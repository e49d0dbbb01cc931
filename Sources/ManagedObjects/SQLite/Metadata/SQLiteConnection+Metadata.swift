import DataModels
import Foundation

/// A store's administrative tables: its single row of metadata, and the entities' numbers.
extension SQLiteConnection {
  /// Whether the file has a table with a name.
  func hasTable(_ name: String) throws -> Bool {
    try withStatement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?") { row in
      try row.bind(name, at: 1)
      return try row.step()
    }
  }

  /// Whether CloudKit mirrors the store, judged by its tables.
  var isMirrored: Bool {
    get throws {
      try withStatement(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name GLOB 'ANSCK*'"
      ) { try $0.step() }
    }
  }

  /// The number of columns for values of deleted objects in the history.
  var tombstoneCount: Int {
    get throws {
      Int(
        try integer(
          "SELECT count(*) FROM pragma_table_info('ACHANGE') WHERE name GLOB 'ZTOMBSTONE*'") ?? 0)
    }
  }

  /// Adds a row for each entity: its number, its parent's, and the highest key used in a root entity's table.
  func writePrimaryKeys(of schema: StoreSchema, highest: [Int: Int64] = [:]) throws {
    for entity in schema.entities {
      try withStatement("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)") { row in
        try row.bind(Int64(entity.number), at: 1)
        try row.bind(entity.name, at: 2)
        try row.bind(Int64(entity.parentNumber), at: 3)
        try row.bind(highest[entity.number] ?? 0, at: 4)
        try row.run()
      }
    }
  }

  /// The metadata, including the store's UUID.
  ///
  /// - Throws: an `NSError` if the file isn't a store.
  func readMetadata() throws -> [String: Any] {
    guard try hasTable("Z_METADATA") else {
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "\(path) is a SQLite file, but no store: it has no table Z_METADATA.",
        userInfo: [NSFilePathErrorKey: path])
    }
    return try withStatement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1") {
      row in
      guard try row.step(), let bytes = row.blob(at: 1) else {
        throw CoreDataError.make(
          NSPersistentStoreIncompatibleSchemaError, "The store \(path) has no metadata.",
          userInfo: [NSFilePathErrorKey: path])
      }
      var metadata = try MetadataList.values(bytes)
      metadata[StoreMetadataKeys.uuid] = row.text(at: 0)
      return metadata
    }
  }

  /// Replaces the copy of the model. A model that can't be archived leaves none, as in stores of older frameworks.
  func writeModelCache(of model: NSManagedObjectModel) throws {
    try execute("DELETE FROM Z_MODELCACHE")
    guard let archive = try? ModelCache.encode(model),
      let compressed = try? ModelCache.compress(archive)
    else { return }
    try withStatement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)") { row in
      try row.bind(Data(compressed), at: 1)
      try row.run()
    }
  }

  /// Replaces the metadata.
  func writeMetadata(_ metadata: [String: Any]) throws {
    let bytes = try MetadataList.bytes(metadata)
    try execute("DELETE FROM Z_METADATA")
    try withStatement("INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)") {
      row in
      try row.bind(metadata[StoreMetadataKeys.uuid] as? String ?? UUID().uuidString, at: 1)
      try row.bind(bytes, at: 2)
      try row.run()
    }
  }
}

extension SQLiteEngine {
  func writeMetadata() throws { try connection.writeMetadata(storedMetadata) }
}
