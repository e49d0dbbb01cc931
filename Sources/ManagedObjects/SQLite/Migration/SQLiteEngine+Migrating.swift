import DataModels
import Foundation
import ModelEvolution

/// Migration of a store of another model version.
extension SQLiteEngine {
  /// Migrates a store whose version hashes aren't the model's, as far as the options permit.
  ///
  /// - Parameter metadata: the store's metadata as just read.
  /// - Throws: Core Data's migration errors; the store is unchanged then.
  static func migrate(
    _ opening: StoreOpening, at url: URL, _ connection: SQLiteConnection,
    metadata: [String: Any]
  ) throws {
    do { try migrateOnce(opening, at: url, connection, metadata: metadata) } catch {
      // Another program may have migrated the store meanwhile, which makes the error obsolete.
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
