import DataModels
import Foundation

/// Migration in stages.
extension StoreMigration {
  /// Brings the store to the model by stages, on a copy that takes its place at the end.
  func run(_ manager: NSStagedMigrationManager) throws {
    try request.run(
      manager, source: sourceModel,
      onCopy: { try WorkingCopy(self).replacing(isSeeded: true, $0) }, bring: Self.bring)
  }

  private static func bring(
    _ copy: URL, from present: NSManagedObjectModel, to next: NSManagedObjectModel
  ) throws {
    let connection = try SQLiteConnection(writing: copy, creation: .existing)
    let step = StoreMigration(
      url: copy, connection: connection, metadata: try connection.readMetadata(), model: next,
      options: nil)
    _ = try step.runInPlace(from: present, keepsSafetyCopy: false)
  }
}

/// The codes of staged migration.
enum StagedMigrationCode {
  /// `NSStagedMigrationModelReferenceNotFoundError`.
  static let modelReferenceNotFound = 134504
}
