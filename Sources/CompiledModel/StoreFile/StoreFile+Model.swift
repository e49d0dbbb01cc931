import Foundation
import KeyedArchive
import ManagedModel

extension StoreFile {
  /// The model the store was made with, from its cache; `nil` when the store has none.
  ///
  /// - Throws: ``ModelFileError`` when the cached model is damaged.
  public func cachedModel(
    limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> NSManagedObjectModel? {
    guard let archive = try cachedArchive(limits: limits) else { return nil }
    do {
      return try ModelArchive.decode(archive, limits: limits)
    } catch {
      var error = ModelFileError(error, path: path)
      error.message = "the cached model: \(error.message)"
      throw error
    }
  }

  /// Compares the cached model with the hashes the store records, and the recorded checksum and
  /// digest with these hashes.
  ///
  /// - Returns: Each difference, in the order of the entities' names; none when the store is sound.
  ///   A store without a cached model is judged by checksum and digest alone.
  public func verify(limits: ArchiveLimits = .default) -> [HashDifference] {
    let recorded = metadata.entityHashes
    guard !recorded.isEmpty else { return [HashDifference(.nothingRecorded)] }
    var differences: [HashDifference] = []
    do {
      if let computed = try cachedModel(limits: limits)?.versionHashes() {
        differences += HashDifference.differences(recorded: recorded, computed: computed)
      }
    } catch {
      differences.append(HashDifference(.unreadableVersion, computed: "\(error)"))
    }
    let checksum = VersionHashes.checksum(of: recorded)
    if let known = metadata.checksum, known != checksum {
      differences.append(HashDifference(.checksum, recorded: known, computed: checksum))
    }
    let digest = VersionHashes.digest(of: recorded)
    if let known = metadata.digest, known != digest {
      differences.append(HashDifference(.digest, recorded: known, computed: digest))
    }
    return differences
  }
}
