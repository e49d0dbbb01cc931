import Foundation
import PropertyLists

/// What a store's SQLite file says about its model: the recorded hashes, and the model itself, of
/// which newer stores keep a copy.
///
/// ```swift
/// let store = try StoreFile(at: "Shop.sqlite")
/// print(store.metadata.entityHashes.count, try store.cachedModel()?.entities.count ?? 0)
/// ```
///
/// The file is opened so that neither it nor its folder changes; content that still waits in a
/// `-wal` file is seen.
public struct StoreFile: Sendable {
  /// The store's path.
  public let path: String
  /// The store's metadata.
  public let metadata: StoreMetadata
  /// The compressed model as it lies in the store; `nil` when there is none.
  public let compressedModel: [UInt8]?

  /// How a SQLite file begins.
  static let magic = Array("SQLite format 3\u{0}".utf8)

  /// Opens a store and reads what it says about its model.
  ///
  /// - Throws: ``ModelFileError`` when it can't be read, is no SQLite file or no store.
  public init(at path: String) throws(ModelFileError) {
    let database = try StoreDatabase(path)
    guard try database.hasTable("Z_METADATA") else {
      throw ModelFileError(
        .noModel, "a SQLite file, but no store of Core Data's: it has no table Z_METADATA",
        path: path)
    }
    let row = try database.firstRow("SELECT Z_PLIST, Z_UUID FROM Z_METADATA LIMIT 1")
    guard let row, row.count == 2, let plist = row[0] else {
      throw ModelFileError(.malformed, "Z_METADATA has no row with a property list", path: path)
    }
    do {
      metadata = try StoreMetadata(
        plist, identifier: row[1].map { String(decoding: $0, as: UTF8.self) })
    } catch {
      var error = error
      error.path = path
      throw error
    }
    if try database.hasTable("Z_MODELCACHE") {
      compressedModel =
        try database.firstRow(
          "SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")?.first ?? nil
    } else {
      compressedModel = nil
    }
    self.path = path
  }

  /// The keyed archive of the cached model; `nil` when the store has none.
  ///
  /// - Parameter limits: How large it may be.
  /// - Throws: ``ModelFileError`` when it can't be decompressed.
  public func cachedArchive(
    limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> [UInt8]? {
    guard let compressedModel, !compressedModel.isEmpty else { return nil }
    do {
      return try ModelCache.decompress(compressedModel, limits: limits)
    } catch {
      var error = error
      error.path = path
      throw error
    }
  }
}

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
