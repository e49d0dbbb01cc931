import CSQLite
import DataModels
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

  /// The most bytes of a value that are taken from a store.
  private static let valueLimit: Int32 = 1 << 28

  /// Opens a store and reads what it says about its model.
  ///
  /// - Throws: `ModelFileError` when it can't be read, is no SQLite file or no store.
  public init(at path: String) throws(ModelFileError) {
    try Self.refuseOtherKinds(path)
    let connection = try Self.connection(path)
    guard try Self.hasTable("Z_METADATA", connection) else {
      throw ModelFileError(
        .noModel, "a SQLite file, but no store of Core Data's: it has no table Z_METADATA",
        path: path)
    }
    let row = try Self.firstRow("SELECT Z_PLIST, Z_UUID FROM Z_METADATA LIMIT 1", of: connection)
    guard let row, let plist = row[0] else {
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
    if try Self.hasTable("Z_MODELCACHE", connection) {
      compressedModel =
        try Self.firstRow("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1", of: connection)?[0]
    } else {
      compressedModel = nil
    }
    self.path = path
  }

  /// Says what a store is that is no SQLite file.
  private static func refuseOtherKinds(_ path: String) throws(ModelFileError) {
    let url = URL(fileURLWithPath: path)
    if FileState(url)?.isEmpty == true {
      throw ModelFileError(.noModel, "the file is empty, and no store", path: path)
    }
    guard let kind = StoreFileKind(contentsOf: url), kind != .sqlite else { return }
    let metadata = (try? StoreTypes.ofFile(at: url).metadata(at: url, options: nil)) ?? [:]
    let hashes = metadata[StoreMetadataKeys.hashes] as? [String: Any] ?? [:]
    let entities = hashes.keys.sorted().joined(separator: ", ")
    throw ModelFileError(
      .noModel,
      "\(kind.text), \(metadata[StoreMetadataKeys.uuid] as? String ?? "damaged")"
        + (entities.isEmpty ? "" : ", of the entities \(entities)")
        + "; it keeps no copy of its model: momtool store reads it with --model, a program by its type "
        + "'\(kind.storeType)'", path: path)
  }

  /// A connection that reads and no more: neither triggers nor functions of the file's own schema run,
  /// and what a damaged file claims to hold isn't worth more memory than a value may take.
  private static func connection(_ path: String) throws(ModelFileError) -> SQLiteConnection {
    let location: StoreReadingLocation
    do {
      location = try StoreReadingLocation(path)
    } catch {
      throw ModelFileError(error, path: path)
    }
    do {
      let connection = try SQLiteConnection(
        location: location.name, flags: location.flags, path: path, isReadOnly: true,
        cleanUp: location.cleanUp)
      connection.setBusyTimeout(5)
      sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, valueLimit)
      // With a schema that may be written SQLite reads what is there of a file that was cut short.
      try connection.execute(
        "PRAGMA query_only=1; PRAGMA trusted_schema=0; PRAGMA writable_schema=1")
      return connection
    } catch {
      throw failure(error)
    }
  }

  private static func hasTable(
    _ name: String, _ connection: SQLiteConnection
  ) throws(ModelFileError) -> Bool {
    try firstRow(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(name)'", of: connection)
      != nil
  }

  /// The first row of a query: each column's bytes, or `nil` for NULL. `nil` when there is no row.
  private static func firstRow(
    _ sql: String, of connection: SQLiteConnection
  ) throws(ModelFileError) -> [[UInt8]?]? {
    do {
      let statement = try connection.prepare(sql)
      guard try statement.step() else { return nil }
      return (0..<Int32(statement.columnCount)).map { column in
        statement.withBlob(at: column) { $0.map(Array.init) }
      }
    } catch {
      throw failure(error)
    }
  }

  private static func failure(_ error: SQLiteError) -> ModelFileError {
    let isForeign = error.code == .notADatabase || error.code == .corrupt
    return ModelFileError(
      isForeign ? .malformed : .unreadable,
      error.code == .cannotOpen
        ? "SQLite can't open it: \(error.message)" : "SQLite: \(error.message)", path: error.path)
  }

  /// The keyed archive of the cached model; `nil` when the store has none.
  ///
  /// - Parameter limits: How large it may be.
  /// - Throws: `ModelFileError` when it can't be decompressed.
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
  /// - Throws: `ModelFileError` when the cached model is damaged.
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
