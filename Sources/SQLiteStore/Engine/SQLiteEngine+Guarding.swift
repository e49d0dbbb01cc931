import Foundation
import ManagedObjects

/// Noticing what other programs do to the file itself.
extension SQLiteEngine {
  /// Makes sure, inside a transaction that writes, that nobody has migrated the store meanwhile: rows
  /// written with the old numbers would be others'.
  ///
  /// - Throws: ``NSPersistentStoreIncompatibleVersionHashError``.
  func requireSameModel() throws {
    let version = try connection.integer("PRAGMA schema_version")
    guard version != knownSchemaVersion else { return }
    func hashes(_ metadata: [String: Any]) -> [String: Data] {
      (metadata[StoreMetadataKeys.hashes] as? [String: Any] ?? [:]).compactMapValues {
        $0 as? Data
      }
    }
    guard hashes(try connection.readMetadata()) == hashes(storedMetadata) else {
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleVersionHashError,
        "The store was migrated to another version of the model while it was open; nothing was "
          + "written. Open it again with that version.", [NSFilePathErrorKey: connection.path])
    }
    knownSchemaVersion = version
  }
}
