import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The connections that only read a SQLite store, beside the one that writes.
///
/// Each is used by one request at a time, outside the coordinator's lock. Every statement reads the state of the last
/// commit before it began. Only stores in WAL mode have readers; in other journal modes readers and writers block each
/// other. If all connections are in use, or none can be opened, requests use the writing connection. The invariants are in
/// ARCHITECTURE.md, "Concurrent readers".
final class ReaderPool: @unchecked Sendable {
  // Sendable: mutable state is behind a mutex; the parts of the engine that readers share are immutable.
  private struct State {
    var idle: [Reader] = []
    /// How many connections are open or being opened.
    var count = 0
    var isClosed = false
  }

  private struct Reader: @unchecked Sendable {
    // Sendable: used by one request at a time.
    let engine: SQLiteEngine
  }

  /// Whether readers are used from the first request on: the program has set their number.
  let isPreferred: Bool
  private let limit: Int
  private let plan: ReaderPlan
  private let path: String
  private let identity: FileIdentity?
  private let timeout: TimeInterval
  private let pragmas: [(name: String, value: String)]
  private let state = Mutex(State())

  /// Creates a pool without connections; nil for a store that has no file, is read-only, or must have no readers.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of connections the program allows; nil for a default.
  ///   - pragmas: The program's pragmas, which apply to every connection.
  init?(
    for engine: SQLiteEngine, limit: Int?, timeout: TimeInterval,
    pragmas: [(name: String, value: String)]
  ) {
    let path = engine.connection.path
    guard path != ":memory:", !engine.isReadOnly, limit ?? 1 > 0,
      // An exclusive lock would lock the readers out.
      !pragmas.contains(where: { $0.name.lowercased() == "locking_mode" })
    else { return nil }
    isPreferred = limit != nil
    self.limit = limit ?? min(max(2 * ProcessInfo.processInfo.activeProcessorCount, 4), 16)
    plan = ReaderPlan(of: engine)
    self.path = path
    identity = FileIdentity(path)
    self.timeout = timeout
    self.pragmas = pragmas
  }

  /// Takes a reader for exclusive use until ``recycle(_:)``; nil if none is available.
  func take() -> SQLiteEngine? {
    let (idle, mayOpen) = state.withLock { state -> (Reader?, Bool) in
      if let reader = state.idle.popLast() { return (reader, false) }
      guard !state.isClosed, state.count < limit else { return (nil, false) }
      state.count += 1
      return (nil, true)
    }
    guard idle != nil || mayOpen else { return nil }
    if let reader = idle?.engine ?? (try? open()) {
      reader.keepFiles()
      return reader
    }
    // Don't try again for every request.
    state.withLock { $0.isClosed = true }
    return nil
  }

  /// Returns a reader to the pool.
  func recycle(_ engine: SQLiteEngine) {
    engine.letGoOfFiles()
    let reader = Reader(engine: engine)
    state.withLock { if !$0.isClosed { $0.idle.append(reader) } }
  }

  /// Closes idle readers; the others are closed when their requests finish.
  func close() {
    let idle = state.withLock { state -> [Reader] in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    // Closing files is slow: release them outside the mutex.
    withExtendedLifetime(idle) {}
  }

  private func open() throws -> SQLiteEngine? {
    // The path may refer to another file by now; check again after opening.
    guard let identity, FileIdentity(path) == identity else { return nil }
    let connection = try SQLiteConnection(
      writing: URL(fileURLWithPath: path), creation: .existing, timeout: timeout)
    try connection.execute("PRAGMA query_only=1")
    guard FileIdentity(path) == identity, try connection.text("PRAGMA journal_mode") == "wal" else {
      return nil
    }
    // Pragmas that write fail on a reader.
    for (name, value) in pragmas { try? connection.execute("PRAGMA \(name)=\(value)") }
    let engine = try SQLiteEngine(plan, through: connection)
    engine.filesFolder = plan.externalFolder
    return engine
  }

  /// Identifies the file at a path.
  private struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64

    init?(_ path: String) {
      var info = stat()
      guard stat(path, &info) == 0 else { return nil }
      (device, number) = (UInt64(truncatingIfNeeded: info.st_dev), UInt64(info.st_ino))
    }
  }
}

/// The immutable parts that all engines of a store share.
struct ReaderPlan {
  let schema: StoreSchema
  let layouts: [EntityLayout?]
  let numbers: [ObjectIdentifier: Int]
  let reference: StoreReference
  let externalData: ExternalData
  /// The standardized path of the folder with external values; nil if no entity has any.
  var externalFolder: String? {
    let hasFiles = schema.entities.contains { entity in
      entity.description.attributesByName.values.contains(where: \.allowsExternalBinaryDataStorage)
    }
    return hasFiles ? externalData.folder.standardizedFileURL.path : nil
  }

  init(of engine: SQLiteEngine) {
    schema = engine.schema
    layouts = engine.layouts
    numbers = engine.numbers
    reference = engine.reference
    externalData = engine.externalData
  }
}
