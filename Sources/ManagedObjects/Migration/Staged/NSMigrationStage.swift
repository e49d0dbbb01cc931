import DataModels
import Foundation

/// A part of a staged migration: an ``NSLightweightMigrationStage`` or ``NSCustomMigrationStage``.
open class NSMigrationStage: NSObject, @unchecked Sendable {
  // Sendable: made in one place, and only read once a store is opened with it.

  /// A name for people.
  open var label: String?

  override init() { super.init() }
}

/// Versions of a model between which mappings are inferred.
///
/// A store of any of them is brought to where the next custom stage begins, or to the model itself.
public final class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
  // Sendable: made in one place, and only read once a store is opened with it.

  /// The checksums of the versions, in the order of their making.
  public let versionChecksums: [String]

  /// Makes a stage of versions, oldest first; see `NSManagedObjectModel.versionChecksum`.
  public init(_ checksums: [String]) {
    versionChecksums = checksums
    super.init()
  }
}

/// A step between two versions of a model, before and after which the program changes objects.
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
  // Sendable: made in one place, and only read once a store is opened with it.

  /// The version the step begins with.
  public let currentModel: NSManagedObjectModelReference
  /// The version the step ends with.
  public let nextModel: NSManagedObjectModelReference
  /// Called while the store has the first version; throwing undoes the whole migration.
  public var willMigrateHandler:
    ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  /// Called when the store has the second version; throwing undoes the whole migration.
  public var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

  /// Makes a step; between its versions a mapping must be inferable.
  public init(
    migratingFrom currentModel: NSManagedObjectModelReference,
    to nextModel: NSManagedObjectModelReference
  ) {
    self.currentModel = currentModel
    self.nextModel = nextModel
    super.init()
  }
}
