import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// The engine that keeps a store's rows in PostgreSQL.
///
/// Statements use connections from a pool. A save holds its own connection from preparation to commit, so reads can
/// continue meanwhile.
final class PostgreSQLEngine: StoreEngine {
  let reference: StoreReference
  let isReadOnly: Bool
  let tables: StoreTables
  let pool: ConnectionPool
  let place: String
  /// Whether saves are recorded in persistent history.
  let tracksHistory: Bool
  /// Whether the store has persistent history tables.
  let hasHistoryTables: Bool
  /// Identifies this opening of the store in commit notifications.
  let announcement = UUID().uuidString
  private var listener: StoreListener?
  private var watcher: (@Sendable () -> Void)?
  /// The store's UUID in its record. A program may have given the store another one, which the next save writes.
  private var recordedIdentifier: String
  /// The store's schema generation when it was opened.
  let generation: Int64
  /// Reserved keys, by the name of their table's sequence.
  private var keys: [String: Range<Int64>] = [:]
  private var storedMetadata: [String: Any]
  private(set) var hasUnsavedMetadata = false
  /// The connection of the running batch, whose transaction sees its own writes.
  var batchConnection: PostgreSQLConnection?

  init(
    _ opening: StoreOpening, _ record: StoreRecord, _ pool: ConnectionPool,
    _ schema: RelationalSchema, place: String, isReadOnly: Bool, history: HistoryState
  ) {
    self.pool = pool
    self.place = place
    tracksHistory = history.isTracked && !isReadOnly
    hasHistoryTables = history.isThere
    self.isReadOnly = isReadOnly || history.isUsed && !history.isTracked
    tables = StoreTables(schema, opening.layouts)
    storedMetadata = record.metadata
    recordedIdentifier = record.identifier
    generation = record.generation
    if let known = opening.reference, known.identifier == record.identifier {
      reference = known
    } else {
      reference = StoreReference(identifier: record.identifier, layouts: opening.layouts)
    }
  }

  var answersLikeSQLite: Bool { true }
  var keepsOneOwner: Bool { true }

  var metadata: [String: Any] {
    get { storedMetadata }
    set {
      storedMetadata = StoreRecord.keepingOwn(of: storedMetadata, in: newValue)
      hasUnsavedMetadata = true
    }
  }

  func takeIdentifier(_ identifier: String) {
    storedMetadata[NSStoreUUIDKey] = identifier
    hasUnsavedMetadata = true
  }

  /// The UUID that the next save gives the store, or nil if it keeps the one it has.
  private var newIdentifier: String? {
    let identifier = storedMetadata[NSStoreUUIDKey] as? String
    return identifier == recordedIdentifier ? nil : identifier
  }

  /// Returns the statement that writes the metadata.
  func metadataUpdate() throws -> PostgreSQLConnection.Statement {
    try StoreRecord.update(storedMetadata, identifier: newIdentifier)
  }

  func wantsSave(isEmpty: Bool) -> Bool { hasUnsavedMetadata }

  func didSaveMetadata() {
    hasUnsavedMetadata = false
    guard let newIdentifier else { return }
    recordedIdentifier = newIdentifier
    if let watcher { watch(watcher) }
  }

  func close() {
    listener?.stop()
    (listener, watcher) = (nil, nil)
    pool.closeIdle()
  }

  deinit { listener?.stop() }

  // MARK: Announcements

  /// The channel on which commits are announced. One that gives the store another UUID is announced to those who know
  /// the former one.
  private var channel: String {
    var name = "momkit_\(recordedIdentifier.lowercased())"
    // Programs may give stores any identifiers, of which channels needn't tell all apart.
    while name.utf8.count > PostgreSQLTarget.longestName { name.removeLast() }
    return name
  }

  func watch(_ handler: @escaping @Sendable () -> Void) {
    listener?.stop()
    watcher = handler
    listener = StoreListener(pool.target, channel: channel, own: announcement, handler)
  }

  /// The statements that begin every write: they take the lock that excludes schema changes, and read the store's
  /// record for ``checkRecord(_:)``.
  func guards() -> [PostgreSQLConnection.Statement] {
    [
      PostgreSQLConnection.Statement("SELECT \(StoreRecord.sharedLock)"),
      PostgreSQLConnection.Statement(
        "SELECT pg_current_xact_id()::text, identifier, generation, "
          + "pg_postmaster_start_time()::text FROM \(StoreRecord.table)"),
    ]
  }

  /// Checks that the store is still the one that was opened, and returns the transaction ID.
  func checkRecord(_ rows: [PostgreSQLRow]) throws -> String {
    guard let row = rows.first else { throw lost("is empty") }
    // The new UUID is there already if the answer to the commit that wrote it was lost.
    guard row.text(1) == recordedIdentifier || row.text(1) == newIdentifier else {
      throw lost("was replaced by another")
    }
    guard try row.integer(2) == generation else { throw outdated() }
    return row.text(0)
  }

  /// Returns the statements that end every write: history, the notification and the commit.
  func endings(
    _ history: [HistoryTables.Change], context: String?, author: String?
  ) throws -> [PostgreSQLConnection.Statement] {
    var parameters = PostgreSQLParameters()
    parameters.append(channel)
    parameters.append(announcement)
    return
      (tracksHistory
      ? try HistoryTables.statements(history, context: context, author: author) : [])
      + [
        PostgreSQLConnection.Statement("SELECT pg_notify($1, $2)", parameters),
        PostgreSQLConnection.Statement("COMMIT"),
      ]
  }

  // MARK: Connections

  /// Runs `body` with a connection. If the connection fails before producing results, retries with others until the
  /// timeout, since a server may be restarting.
  ///
  /// - Parameter isStarted: returns whether results have been produced.
  func withConnection<Result>(
    _ code: Int = NSPersistentStoreOperationError, isStarted: () -> Bool = { false },
    _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    try translatingErrors(code) { try withRawConnection(isStarted: isStarted, body) }
  }

  /// Like ``withConnection(_:isStarted:_:)``, but throws the server's own errors.
  func withRawConnection<Result>(
    isStarted: () -> Bool = { false }, _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    if let batchConnection { return try body(batchConnection) }
    let deadline = Deadline(pool.target.timeout)
    var delay: UInt32 = 20_000
    var attempts = 0
    while true {
      do {
        let connection = try pool.take()
        defer { pool.recycle(connection) }
        return try body(connection)
      } catch let error as PostgreSQLError where error.isTransient && !isStarted() {
        attempts += 1
        guard attempts < 10 else { throw error }
      } catch let error as PostgreSQLError where error.isLostConnection && !isStarted() {
        guard deadline.milliseconds > 0, error.mayRecover else { throw error }
        usleep(delay)
        delay = min(delay * 2, 500_000)
      }
    }
  }

  /// Runs `body`, converting the server's errors to Core Data's.
  func translatingErrors<Result>(_ code: Int, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as PostgreSQLError {
      throw error.cocoaError(code)
    }
  }

  // MARK: Keys

  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64 {
    let table = try tables.table(root).table
    guard count > 0 else { return 1 }
    if let left = keys[table.sequence], left.count >= count {
      keys[table.sequence] = left.dropFirst(count)
      return left.lowerBound
    }
    let taken = try withConnection(NSPersistentStoreSaveError) {
      try takeKeys(count, table, $0)
    }
    keys[table.sequence] = taken.dropFirst(count)
    return taken.lowerBound
  }

  func lastKey(of root: EntityLayout) throws -> Int64? {
    let table = try tables.table(root).table
    return try withConnection { connection in
      var last: Int64 = 0
      // The last value is the first key of a block, or of the next one as long as no value has been taken.
      try connection.run(
        PostgreSQLConnection.Statement(
          "SELECT last_value - 1 + CASE WHEN is_called THEN \(RelationalTable.keysAtOnce) ELSE 0 END "
            + "FROM \(SQL.quoted(table.sequence))")
      ) { last = try $0.integer(0) }
      return last
    }
  }

  /// Takes enough values from a sequence for a contiguous range of keys. If another client takes values in between,
  /// the range isn't contiguous; it is then abandoned, and the next one is tried.
  private func takeKeys(
    _ count: Int, _ table: RelationalTable, _ connection: PostgreSQLConnection
  ) throws -> Range<Int64> {
    let step = RelationalTable.keysAtOnce
    let blocks = (Int64(count) + step - 1) / step
    for _ in 0..<100 {
      var parameters = PostgreSQLParameters()
      parameters.append(SQL.quoted(table.sequence))
      parameters.append(blocks)
      var (first, last, taken): (Int64, Int64, Int64) = (.max, .min, 0)
      try connection.run(
        PostgreSQLConnection.Statement(
          "SELECT nextval($1::text::regclass) FROM generate_series(1, $2)", parameters)
      ) { row in
        let value = try row.integer(0)
        (first, last, taken) = (min(first, value), max(last, value), taken + 1)
      }
      let (end, overflow) = last.addingReportingOverflow(step)
      guard taken == blocks, first > 0, !overflow else { break }
      if last - first == (blocks - 1) * step { return first..<end }
    }
    throw PostgreSQLStore.error(
      NSPersistentStoreSaveError,
      "No \(count) contiguous keys could be reserved from the sequence \(table.sequence).")
  }
}

/// Whether a store has persistent history, and whether it is being tracked.
struct HistoryState {
  var isTracked = false
  var isThere = false
  var isUsed = false
}
