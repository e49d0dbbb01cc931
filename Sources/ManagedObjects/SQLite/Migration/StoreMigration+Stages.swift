import DataModels
import Foundation

/// Migration in stages.
extension StoreMigration {
  /// Brings the store to the model by stages, on a copy that takes its place at the end.
  func run(_ manager: NSStagedMigrationManager) throws {
    let checksum = VersionHashes.checksum(of: recordedHashes)
    let remaining = try stages(of: manager, from: checksum)
    // What the stages name must be there before anything is begun.
    var models: [ObjectIdentifier: (current: NSManagedObjectModel, next: NSManagedObjectModel)] =
      [:]
    for case let stage as NSCustomMigrationStage in remaining {
      models[ObjectIdentifier(stage)] = (
        try resolve(stage.currentModel), try resolve(stage.nextModel)
      )
    }
    let source = try sourceModel()
    let progress = self.progress
    progress.begin(steps: remaining.count + 1)
    try WorkingCopy(self).replacing(isSeeded: true) { copy in
      var present = source
      for (index, stage) in remaining.enumerated() {
        try progress.step()
        guard let custom = stage as? NSCustomMigrationStage,
          let (current, next) = models[ObjectIdentifier(stage)]
        else {
          let following = remaining[index...].lazy.compactMap { models[ObjectIdentifier($0)] }.first
          try bring(copy, from: &present, to: following?.current ?? model)
          continue
        }
        try bring(copy, from: &present, to: current)
        try call(custom.willMigrateHandler, manager: manager, stage: custom, on: copy, as: current)
        try bring(copy, from: &present, to: next)
        try call(custom.didMigrateHandler, manager: manager, stage: custom, on: copy, as: next)
      }
      guard present.versionChecksum == model.versionChecksum else {
        throw MigrationError.failed(
          "The stages end with the version \(present.versionChecksum); the model is "
            + "\(model.versionChecksum)")
      }
    }
    progress.finish()
  }

  /// The stages that a store of a version has before it.
  private func stages(
    of manager: NSStagedMigrationManager, from checksum: String
  ) throws -> [NSMigrationStage] {
    for (index, stage) in manager.stages.enumerated() {
      switch stage {
      case let stage as NSLightweightMigrationStage
      where stage.versionChecksums.contains(checksum):
        return Array(manager.stages[index...])
      case let stage as NSCustomMigrationStage
      where stage.currentModel.versionChecksum == checksum:
        return Array(manager.stages[index...])
      default: continue
      }
    }
    for (index, stage) in manager.stages.enumerated() {
      if let stage = stage as? NSCustomMigrationStage, stage.nextModel.versionChecksum == checksum {
        return Array(manager.stages[(index + 1)...])
      }
    }
    throw MigrationError.failed(
      "Cannot use staged migration with an unknown model version. The store's is \(checksum).")
  }

  private func resolve(_ reference: NSManagedObjectModelReference) throws -> NSManagedObjectModel {
    do { return try reference.resolve() } catch {
      throw CoreDataError.make(
        StagedMigrationCode.modelReferenceNotFound, "\(error)", [NSUnderlyingErrorKey: error])
    }
  }

  private func bring(
    _ copy: URL, from present: inout NSManagedObjectModel, to next: NSManagedObjectModel
  ) throws {
    guard present.versionChecksum != next.versionChecksum else {
      present = next
      return
    }
    let connection = try SQLiteConnection(writing: copy, creation: .existing)
    let step = StoreMigration(
      url: copy, connection: connection, metadata: try connection.readMetadata(), model: next,
      options: nil)
    _ = try step.runInPlace(from: present, keepsSafetyCopy: false)
    present = next
  }

  private func call(
    _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
    manager: NSStagedMigrationManager, stage: NSCustomMigrationStage, on copy: URL,
    as model: NSManagedObjectModel
  ) throws {
    guard let handler else { return }
    let container = NSPersistentContainer(
      name: url.deletingPathExtension().lastPathComponent, managedObjectModel: model)
    let coordinator = container.persistentStoreCoordinator
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: copy, options: nil)
    manager.container = container
    defer {
      manager.container = nil
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }
    try handler(manager, stage)
  }
}

/// The codes of staged migration.
enum StagedMigrationCode {
  /// `NSStagedMigrationModelReferenceNotFoundError`.
  static let modelReferenceNotFound = 134504
}
