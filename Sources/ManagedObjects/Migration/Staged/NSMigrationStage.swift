import DataModels
import Foundation

/// A stage of a staged migration: an ``NSLightweightMigrationStage`` or ``NSCustomMigrationStage``.
///
/// ```swift
/// let stage: NSMigrationStage = NSCustomMigrationStage(migratingFrom: v2, to: v3)
/// stage.label = "Splits names"
/// let manager = NSStagedMigrationManager([stage])
/// ```
open class NSMigrationStage: NSObject, @unchecked Sendable {
  // Sendable: configured in one place, and only read once a store is opened with it.

  /// A name for debugging.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var label: String!

  override init() { super.init() }
}

/// A stage of model versions between which mappings are inferred.
///
/// ```swift
/// let stage = NSLightweightMigrationStage([first.versionChecksum, second.versionChecksum])
/// stage.label = "Adds notes"
/// let manager = NSStagedMigrationManager([stage])
/// ```
///
/// A store of any of these versions is migrated to the version at which the next custom stage begins, or to the
/// current model.
public final class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
  // Sendable: configured in one place, and only read once a store is opened with it.

  /// The checksums of the versions, oldest first.
  public let versionChecksums: [String]

  /// Creates a stage from version checksums, oldest first; see `NSManagedObjectModel.versionChecksum`.
  public init(_ checksums: [String]) {
    versionChecksums = checksums
    super.init()
  }
}

/// A migration step between two model versions, before and after which the program can change objects.
///
/// ```swift
/// let stage = NSCustomMigrationStage(migratingFrom: v2, to: v3)
/// stage.willMigrateHandler = { manager, stage in
///   guard let container = manager.container else { return }
///   let context = container.newBackgroundContext()
///   try context.performAndWait { … ; try context.save() }
/// }
/// ```
public final class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
  // Sendable: configured in one place, and only read once a store is opened with it.

  /// The version before the step.
  public let currentModel: NSManagedObjectModelReference
  /// The version after the step.
  public let nextModel: NSManagedObjectModelReference
  /// Called before the step, while the store has the first version; throwing reverts the whole migration.
  public var willMigrateHandler:
    ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  /// Called after the step, when the store has the second version; throwing reverts the whole migration.
  public var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

  /// Creates a step; it must be possible to infer a mapping between its versions.
  public init(
    migratingFrom currentModel: NSManagedObjectModelReference,
    to nextModel: NSManagedObjectModelReference
  ) {
    self.currentModel = currentModel
    self.nextModel = nextModel
    super.init()
  }
}
