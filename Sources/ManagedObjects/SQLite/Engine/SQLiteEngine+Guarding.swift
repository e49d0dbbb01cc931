import CSQLite
import Foundation

/// Detection of changes to the file itself by other programs.
extension SQLiteEngine {
  /// Checks, inside a write transaction, that the file is still this store: that no other program has migrated it
  /// meanwhile (rows with the old entity numbers would belong to other entities), emptied it, or replaced it by
  /// another store. Before the first write it also checks that the model has the hashes by which the store was opened.
  ///
  /// - Throws: ``NSPersistentStoreIncompatibleVersionHashError``, ``NSPersistentStoreSaveError``.
  func requireSameStore() throws {
    if let presumedOpening { try requireVersion(of: presumedOpening) }
    // It changes only if another connection has written; otherwise there is nothing to check.
    let version = try connection.integer("PRAGMA data_version")
    guard version != knownDataVersion else { return }
    orderEnds.forget()
    let schemaVersion = try connection.integer("PRAGMA schema_version")
    guard try connection.hasTable("Z_METADATA") else {
      throw lost("The store was destroyed while it was open; nothing was written.")
    }
    // A recreated or copied store may have the same tables.
    guard try connection.text("SELECT Z_UUID FROM Z_METADATA LIMIT 1") == recordedIdentifier else {
      throw lost(
        "The store was replaced by another while it was open; nothing was written.")
    }
    if schemaVersion != knownSchemaVersion { try requireSameModel() }
    try joinHistory()
    (knownDataVersion, knownSchemaVersion) = (version, schemaVersion)
  }

  /// Records writes from here on, if another program has begun to do so: it would never learn of ours.
  private func joinHistory() throws {
    guard historyWriter == nil, !isReadOnly, try connection.hasHistory else { return }
    historyWriter = try HistoryWriter(connection)
  }

  /// Checks the model's own hashes, where the store was opened by those that are recorded beside the model's file.
  private func requireVersion(of opening: StoreOpening) throws {
    var metadata = storedMetadata
    metadata[StoreMetadataKeys.hashes] = recordedHashes
    try opening.checkVersion(of: metadata, at: URL(fileURLWithPath: connection.path))
    presumedOpening = nil
  }

  private func requireSameModel() throws {
    let present = StoreMetadataKeys.versionHashes(in: try connection.readMetadata())
    guard present == recordedHashes else { throw migrated("nothing was written") }
  }

  /// Steps to a statement's first row, and checks what it reads: see ``requireReadable()``.
  @inline(__always)
  func stepToFirst(_ row: SQLiteStatement) throws -> Bool {
    let hasRow = try row.step()
    if connection.contentVersion != readContentVersion { try requireReadable() }
    return hasRow
  }

  /// Checks, while a statement or transaction reads, that no other program has migrated the store: rows with the new
  /// entity numbers would be taken for other entities' objects.
  ///
  /// SQLite tells at once that the content has changed, by one number. Migrations change the schema, for which another
  /// number stands; the metadata is read only if that has changed, too.
  ///
  /// - Throws: ``NSPersistentStoreIncompatibleVersionHashError``.
  func requireReadable() throws {
    let contentVersion = connection.contentVersion
    let schemaVersion = try connection.integer("PRAGMA schema_version")
    if schemaVersion != readSchemaVersion, acceptedVersions.contains(where: { !$0.isEmpty }) {
      let present = StoreMetadataKeys.versionHashes(in: try connection.readMetadata())
      guard acceptedVersions.contains(present) else { throw migrated("nothing was read") }
    }
    (readContentVersion, readSchemaVersion) = (contentVersion, schemaVersion)
  }

  func migrated(_ outcome: String) -> NSError {
    CoreDataError.make(
      NSPersistentStoreIncompatibleVersionHashError,
      "The store was migrated to another version of the model while it was open; \(outcome). "
        + "Open it again with that version.", userInfo: [NSFilePathErrorKey: connection.path])
  }

  /// Checks that the file is still at its path: writes to a file that was deleted or moved while open would be lost.
  func requireFile() throws {
    guard connection.hasMoved else { return }
    throw lost("The store's file was deleted or moved while it was open; nothing was written.")
  }

  private func lost(_ text: String) -> NSError {
    CoreDataError.make(
      NSPersistentStoreSaveError, text, userInfo: [NSFilePathErrorKey: connection.path])
  }
}

extension SQLiteConnection {
  /// A number that changes with the file's content, as of the last read of this connection.
  fileprivate var contentVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Whether the file is no longer where it was opened.
  fileprivate var hasMoved: Bool {
    var moved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK
      && moved != 0
  }
}
