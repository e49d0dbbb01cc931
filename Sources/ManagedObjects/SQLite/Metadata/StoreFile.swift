import CSQLite
import DataModels
import Foundation
import PropertyLists

/// The information about its model in a store's SQLite file: the recorded hashes, and in newer stores a copy of the
/// model.
///
/// ```swift
/// let store = try StoreFile(at: "Shop.sqlite")
/// print(store.metadata.entityHashes.count, try store.cachedModel()?.entities.count ?? 0)
/// ```
///
/// The file is opened so that neither it nor its folder changes; unmerged content in a `-wal` file is included.
public struct StoreFile: Sendable {
  /// The store's path.
  public let path: String
  /// The store's metadata.
  public let metadata: StoreMetadata
  /// The compressed model as stored; `nil` if there is none.
  public let compressedModel: [UInt8]?
  /// Why ``metadata`` is empty, if the metadata couldn't be read; otherwise nil.
  package let metadataProblem: ModelFileError?
  /// Why ``compressedModel`` is missing, if the copy of the model couldn't be read; otherwise nil.
  private let modelProblem: ModelFileError?

  /// The suffixes of the files that SQLite keeps beside a store's.
  package static let companions = ["-wal", "-shm", "-journal"]

  /// The maximum size in bytes of a value read from a store.
  private static let valueLimit: Int32 = 1 << 28

  /// Opens a store and reads the information about its model.
  ///
  /// - Throws: `ModelFileError` if it can't be read, or isn't a SQLite file or a store.
  public init(at path: String) throws(ModelFileError) {
    try self.init(at: path, readingWithoutMetadata: false)
  }

  /// Opens a store and reads the information about its model.
  ///
  /// - Parameter readsWithoutMetadata: Whether to accept a file with Core Data's tables whose metadata is missing or
  ///   unreadable; ``metadataProblem`` then describes the problem.
  /// - Throws: `ModelFileError` if it can't be read, or isn't a SQLite file or a store.
  package init(
    at path: String, readingWithoutMetadata readsWithoutMetadata: Bool
  ) throws(ModelFileError) {
    try Self.refuseOtherKinds(path)
    let connection = try Self.connection(path)
    do {
      metadata = try Self.metadata(path, connection)
      metadataProblem = nil
    } catch {
      guard readsWithoutMetadata, (try? Self.hasTable("Z_PRIMARYKEY", connection)) == true else {
        throw error
      }
      metadata = StoreMetadata()
      metadataProblem = error
    }
    do {
      compressedModel =
        try Self.hasTable("Z_MODELCACHE", connection)
        ? Self.firstRow("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1", of: connection)?[0] : nil
      modelProblem = nil
    } catch {
      guard readsWithoutMetadata else { throw error }
      compressedModel = nil
      modelProblem = error
    }
    self.path = path
  }

  private static func metadata(
    _ path: String, _ connection: SQLiteConnection
  ) throws(ModelFileError) -> StoreMetadata {
    guard try hasTable("Z_METADATA", connection) else {
      throw ModelFileError(
        .noModel, "a SQLite file, but no store of Core Data's: it has no table Z_METADATA",
        path: path)
    }
    let row = try firstRow("SELECT Z_PLIST, Z_UUID FROM Z_METADATA LIMIT 1", of: connection)
    guard let row, let plist = row[0] else {
      throw ModelFileError(.malformed, "Z_METADATA has no row with a property list", path: path)
    }
    do {
      return try StoreMetadata(
        plist, identifier: row[1].map { String(decoding: $0, as: UTF8.self) })
    } catch {
      var error = error
      error.path = path
      throw error
    }
  }

  /// Throws a descriptive error for a store that isn't a SQLite file.
  private static func refuseOtherKinds(_ path: String) throws(ModelFileError) {
    // This process has it open as a SQLite file, which must not be opened in another way.
    guard !OpenStoreFiles.shared.isOpen(path) else { return }
    let url = URL(fileURLWithPath: path)
    if FileState(url)?.isEmpty == true {
      throw ModelFileError(.noModel, "the file is empty, and not a store", path: path)
    }
    if let archive = try? FileBytes.readPrefix(of: path, count: 4), let kind = Self.archive(archive)
    {
      throw ModelFileError(.noModel, "\(kind), and not a store: unpack it first", path: path)
    }
    guard let kind = StoreFileKind(contentsOf: url), kind != .sqlite else { return }
    let metadata = (try? StoreTypes.ofFile(at: url).metadata(at: url, options: nil)) ?? [:]
    let hashes = metadata[StoreMetadataKeys.hashes] as? [String: Any] ?? [:]
    let entities = hashes.keys.sorted().joined(separator: ", ")
    throw ModelFileError(
      .noModel,
      "\(kind.text), \(metadata[StoreMetadataKeys.uuid] as? String ?? "damaged")"
        + (entities.isEmpty ? "" : ", of the entities \(entities)")
        + "; it has no copy of its model: momtool store reads it with --model, a program by its type "
        + "'\(kind.storeType)'", path: path)
  }

  /// The kind of archive that begins with some bytes; nil for anything else.
  private static func archive(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x1F, 0x8B]) { return "a file compressed with gzip" }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return "a ZIP archive" }
    return nil
  }

  /// A restricted connection for reading: triggers and functions of the file's own schema don't run, and memory is
  /// limited whatever sizes a damaged file claims.
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
      // With `writable_schema` SQLite also reads what is left of a truncated file.
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

  /// The first row of a query: each column's bytes, texts as UTF-8, or `nil` for NULL. `nil` if there is no row.
  private static func firstRow(
    _ sql: String, of connection: SQLiteConnection
  ) throws(ModelFileError) -> [[UInt8]?]? {
    do {
      let statement = try connection.prepare(sql)
      guard try statement.step() else { return nil }
      return (0..<Int32(statement.columnCount)).map { column in
        // The file's text encoding may be UTF-16.
        if statement.type(at: column) == .text {
          return statement.text(at: column).map { Array($0.utf8) }
        }
        return statement.withBlob(at: column) { $0.map(Array.init) }
      }
    } catch {
      throw failure(error)
    }
  }

  private static func failure(_ error: SQLiteError) -> ModelFileError {
    let isForeign = error.code == .corrupt
    if error.code == .notADatabase {
      return ModelFileError(
        .malformed, "not a SQLite file, or an encrypted one (SQLite: \(error.message))",
        path: error.path)
    }
    return ModelFileError(
      isForeign ? .malformed : .unreadable,
      error.code == .cannotOpen
        ? "SQLite can't open it: \(error.message)" : "SQLite: \(error.message)", path: error.path)
  }

  /// The keyed archive of the cached model; `nil` if the store has none.
  ///
  /// - Parameter limits: the maximum size.
  /// - Throws: `ModelFileError` if it can't be decompressed.
  public func cachedArchive(
    limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> [UInt8]? {
    if let modelProblem { throw modelProblem }
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
  /// The model that the store was created with, from its cache; `nil` if the store has none.
  ///
  /// - Throws: `ModelFileError` if the cached model is damaged.
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

  /// Compares the cached model with the recorded hashes, and the recorded checksum and digest with these hashes.
  ///
  /// - Returns: the differences, sorted by entity name; empty for a sound store. A store without a cached model is
  ///   judged by its checksum and digest alone.
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
