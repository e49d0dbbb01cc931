import DataModels
import Foundation
import Synchronization

/// The connections that only read a SQLite store, beside the one that writes.
///
/// Each is used by one request at a time, outside the coordinator's lock. Every statement reads the state of the last
/// commit before it began. Only stores in WAL mode have readers; in other journal modes readers and writers block each
/// other. If all connections are in use, or none can be opened, requests use the writing connection. The invariants are in
/// ARCHITECTURE.md, "Concurrent readers".
final class ReaderPool: @unchecked Sendable {
  // Sendable: mutable state is behind a mutex or atomic; the parts of the engine that readers share are immutable.
  private struct State {
    var slots: [ReaderSlot] = []
    /// How many connections are open or being opened.
    var count = 0
  }

  /// Whether readers are used from the first request on: the program has set their number.
  let isPreferred: Bool
  private let limit: Int
  private let plan: ReaderPlan
  private let path: String
  private let identity: OpenStoreFiles.Identity?
  private let timeout: TimeInterval
  private let pragmas: [(name: String, value: String)]
  private let state = Mutex(State())
  /// Whether connections are closed after use instead of being kept.
  private let isClosed = Atomic<Bool>(false)

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
    guard path != ":memory:", !engine.isReadOnly, !engine.isExclusive, limit ?? 1 > 0 else {
      return nil
    }
    isPreferred = limit != nil
    self.limit = limit ?? min(max(2 * ProcessInfo.processInfo.activeProcessorCount, 4), 16)
    plan = ReaderPlan(of: engine)
    self.path = path
    identity = OpenStoreFiles.Identity(path)
    self.timeout = timeout
    self.pragmas = pragmas
  }

  /// Takes a given reader for exclusive use until ``recycle(_:)``, without waiting; returns whether it was idle.
  func take(_ slot: ReaderSlot) -> Bool {
    guard slot.take() else { return false }
    slot.engine.keepFiles()
    return true
  }

  /// Takes any reader for exclusive use until ``recycle(_:)``; nil if none is available.
  func take() -> ReaderSlot? {
    let (idle, mayOpen) = state.withLock { state -> (ReaderSlot?, Bool) in
      if let slot = state.slots.last(where: { $0.take() }) { return (slot, false) }
      guard !isClosed.load(ordering: .acquiring), state.count < limit else { return (nil, false) }
      state.count += 1
      return (nil, true)
    }
    if let idle {
      idle.engine.keepFiles()
      return idle
    }
    guard mayOpen else { return nil }
    guard let reader = try? open() else {
      // Don't try again for every request.
      isClosed.store(true, ordering: .sequentiallyConsistent)
      return nil
    }
    let slot = ReaderSlot(reader)
    reader.keepFiles()
    state.withLock { $0.slots.append(slot) }
    return slot
  }

  /// Returns a reader to the pool.
  func recycle(_ slot: ReaderSlot) {
    slot.engine.letGoOfFiles()
    slot.yield()
    if isClosed.load(ordering: .sequentiallyConsistent) { slot.closeIfIdle() }
  }

  /// Closes idle readers; the others are closed when their requests finish.
  func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    // Closing files is slow: do it outside the mutex.
    let slots = state.withLock { $0.slots }
    for slot in slots { slot.closeIfIdle() }
  }

  private func open() throws -> SQLiteEngine? {
    // The path may refer to another file by now; check again after opening.
    guard let identity, OpenStoreFiles.Identity(path) == identity else { return nil }
    let connection = try SQLiteConnection(
      writing: URL(fileURLWithPath: path), creation: .existing, timeout: timeout)
    try connection.execute("PRAGMA query_only=1")
    guard OpenStoreFiles.Identity(path) == identity,
      try connection.text("PRAGMA journal_mode") == "wal"
    else { return nil }
    // Pragmas that write fail on a reader.
    for (name, value) in pragmas { try? connection.execute("PRAGMA \(name)=\(value)") }
    let engine = try SQLiteEngine(plan, through: connection)
    engine.filesFolder = plan.externalFolder
    return engine
  }
}

/// The immutable parts that all engines of a store share.
struct ReaderPlan {
  let schema: StoreSchema
  let layouts: [EntityLayout?]
  let numbers: [ObjectIdentifier: Int]
  let reference: StoreReference
  let externalData: ExternalData
  let acceptedVersions: [[String: Data]]
  let readSchemaVersion: Int64?
  /// The path of the folder with external values, by ``RetiredFiles/path(of:)``; nil if no entity has any.
  var externalFolder: String? {
    let hasFiles = schema.entities.contains { entity in
      entity.attributes.keys.contains {
        entity.attribute(at: $0)?.allowsExternalBinaryDataStorage == true
      }
    }
    return hasFiles ? RetiredFiles.path(of: externalData.folder) : nil
  }

  init(of engine: SQLiteEngine) {
    schema = engine.schema
    layouts = engine.layouts
    numbers = engine.numbers
    reference = engine.reference
    externalData = engine.externalData
    acceptedVersions = engine.acceptedVersions
    readSchemaVersion = engine.readSchemaVersion
  }
}
