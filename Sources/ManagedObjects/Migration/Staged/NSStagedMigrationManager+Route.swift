import Foundation

/// Which stages a migration consists of.
extension NSStagedMigrationManager {
  /// The stages that lead a store of one version to another, in order: those from the first that has the store's version to
  /// the last that has the model's. Later stages would have to be undone, and what they dropped would be lost.
  ///
  /// - Parameters:
  ///   - stored: the checksum of the store's version.
  ///   - current: the checksum of the model's version.
  /// - Throws: error 134504 if one of the versions is in no stage, as in Core Data, and
  ///   ``NSStagedMigrationBackwardMigrationError`` if the store's version is the later one.
  func route(from stored: String, to current: String) throws -> ArraySlice<NSMigrationStage> {
    guard let start = start(of: stored) else {
      throw Self.unknown("model version", "The store's is \(stored)")
    }
    guard let end = end(of: current) else {
      throw Self.unknown("coordinator model version", "It is \(current)")
    }
    let versions = stages.flatMap(\.versions)
    guard start <= end, let place = versions.firstIndex(of: stored),
      let goal = versions.lastIndex(of: current), place < goal
    else {
      throw MigrationError.failed(
        "A store file cannot be migrated backwards with staged migration. The version of the "
          + "store, \(stored), comes after the model's, \(current).",
        code: NSStagedMigrationBackwardMigrationError)
    }
    return stages[start..<end]
  }

  /// The index of the first stage for a store of a version.
  private func start(of version: String) -> Int? {
    stages.firstIndex { stage in
      switch stage {
      case let stage as NSLightweightMigrationStage: stage.versionChecksums.contains(version)
      case let stage as NSCustomMigrationStage: stage.currentModel.versionChecksum == version
      default: false
      }
    } ?? stages.firstIndex { $0.leads(to: version) }.map { $0 + 1 }
  }

  /// The index after the last stage on the way to a version.
  private func end(of version: String) -> Int? {
    for (index, stage) in stages.enumerated().reversed() {
      switch stage {
      case let stage as NSLightweightMigrationStage
      where stage.versionChecksums.contains(version):
        return index + 1
      case _ where stage.leads(to: version): return index + 1
      case let stage as NSCustomMigrationStage where stage.currentModel.versionChecksum == version:
        return index
      default: continue
      }
    }
    return nil
  }

  private static func unknown(_ what: String, _ detail: String) -> NSError {
    MigrationError.failed(
      "Cannot use staged migration with an unknown \(what). \(detail).",
      code: NSManagedObjectModelReferenceNotFoundError)
  }
}

extension NSMigrationStage {
  /// The checksums of the stage's versions, in order.
  fileprivate var versions: [String] {
    switch self {
    case let stage as NSLightweightMigrationStage: stage.versionChecksums
    case let stage as NSCustomMigrationStage:
      [stage.currentModel.versionChecksum, stage.nextModel.versionChecksum]
    default: []
    }
  }

  /// Whether this is a custom stage that ends with a version.
  fileprivate func leads(to version: String) -> Bool {
    (self as? NSCustomMigrationStage)?.nextModel.versionChecksum == version
  }
}
