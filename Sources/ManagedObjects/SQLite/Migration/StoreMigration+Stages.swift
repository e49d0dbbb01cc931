import DataModels
import Foundation

/// Staged migration.
extension StoreMigration {
  /// Migrates the store in stages, on a copy that replaces it at the end.
  func run(_ manager: NSStagedMigrationManager) throws {
    try request.run(
      manager, cached: cachedModel,
      onCopy: { try WorkingCopy(self).replacing($0) }, bring: bring)
  }

  private func bring(
    _ copy: URL, from present: NSManagedObjectModel, to next: NSManagedObjectModel
  ) throws {
    let connection = try SQLiteConnection(writing: copy, creation: .existing)
    let step = StoreMigration(
      url: copy, connection: connection, metadata: try connection.readMetadata(), model: next,
      options: try request.historyOptions(connection))
    _ = try step.runInPlace(from: present, keepsSafetyCopy: false)
  }
}
