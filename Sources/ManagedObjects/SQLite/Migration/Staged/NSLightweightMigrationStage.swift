import Foundation

/// Versions of a model between which mappings are inferred.
///
/// A store of any of them is brought to where the next custom stage begins, or to the model itself.
public final class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
  /// The checksums of the versions, in the order of their making.
  public let versionChecksums: [String]

  /// Makes a stage of versions, oldest first; see `NSManagedObjectModel.versionChecksum`.
  public init(_ checksums: [String]) {
    versionChecksums = checksums
    super.init()
  }
}
