import Foundation

/// A manager of the stages that migrate stores of all older model versions to the current one.
///
/// ```swift
/// let stages = NSStagedMigrationManager([
///   NSLightweightMigrationStage([v1, v2]), toVersion3, NSLightweightMigrationStage([v3, v4]),
/// ])
/// description.setOption(stages, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
///
/// A store starts with the stage that contains its version, and ends with the last one that contains the model's; stages
/// beyond that aren't performed. Each version must be in a stage (else error 134504), and the store's may not come after
/// the model's (else ``NSStagedMigrationBackwardMigrationError``).
///
/// The stages work on a copy of the store, which replaces the original once all are complete: a migration that fails, is
/// cancelled, or whose process terminates leaves the store unchanged.
public final class NSStagedMigrationManager: NSObject, @unchecked Sendable {
  // Sendable: configured in one place, and only read once a store is opened with it.

  /// The stages, in version order.
  public let stages: [NSMigrationStage]
  /// While a handler runs, a container with the store being migrated, which is a copy: with the stage's first model
  /// version before the step, and with the second one after it.
  public internal(set) var container: NSPersistentContainer?

  /// Creates a manager of stages, which together must name every version, the current one included, in order.
  public init(_ stages: [NSMigrationStage]) {
    self.stages = stages
    super.init()
  }
}
