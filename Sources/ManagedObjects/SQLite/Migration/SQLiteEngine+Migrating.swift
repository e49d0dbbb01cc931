import DataModels
import Foundation
import ModelEvolution

/// Bringing a store of another version of the model to this one.
extension SQLiteEngine {
  /// Migrates a store whose version hashes aren't the model's, in the way that the options allow.
  ///
  /// - Parameter metadata: the store's, as they were read a moment ago.
  /// - Throws: Core Data's errors of migration; the store is then as it was.
  static func migrate(
    _ opening: StoreOpening, at url: URL, _ connection: SQLiteConnection,
    metadata: [String: Any]
  ) throws {
    do { try migrateOnce(opening, at: url, connection, metadata: metadata) } catch {
      // Another program may have done it meanwhile: of what the store was then there is nothing left.
      guard let present = try? connection.readMetadata(),
        (try? opening.checkVersion(of: present, at: url)) != nil
      else { throw error }
    }
  }

  private static func migrateOnce(
    _ opening: StoreOpening, at url: URL, _ connection: SQLiteConnection,
    metadata: [String: Any]
  ) throws {
    let migration = StoreMigration(
      url: url, connection: connection, metadata: metadata, model: opening.model,
      options: opening.options)
    if let stages = opening.options?[NSPersistentStoreStagedMigrationManagerOptionKey]
      as? NSStagedMigrationManager
    {
      try migration.run(stages)
    } else {
      _ = try migration.run()
    }
  }
}
