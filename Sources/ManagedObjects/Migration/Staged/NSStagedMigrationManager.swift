import Foundation

/// The stages that bring stores of all older versions of a model to the present one.
///
/// ```swift
/// let stages = NSStagedMigrationManager([
///   NSLightweightMigrationStage([v1, v2]), toVersion3, NSLightweightMigrationStage([v3, v4]),
/// ])
/// description.setOption(stages, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
///
/// A store begins with the stage that knows its version. The stages work on a copy of the store, which
/// takes its place when all are done: a migration that fails, is cancelled or whose process ends leaves
/// the store as it was.
public final class NSStagedMigrationManager: NSObject, @unchecked Sendable {
  // Sendable: made in one place, and only read once a store is opened with it.

  /// The stages, in the order of the versions.
  public let stages: [NSMigrationStage]
  /// While a handler runs, a container with the store: of the stage's first version before it, of its
  /// second version after. Its store is the copy that is being migrated.
  public internal(set) var container: NSPersistentContainer?

  /// Makes a manager of stages, which together must name every version there was, in order.
  public init(_ stages: [NSMigrationStage]) {
    self.stages = stages
    super.init()
  }
}
