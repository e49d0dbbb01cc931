import CSQLite
import DataModels
import Foundation

/// A connection to a SQLite file, with its prepared statements.
///
/// A connection and its statements are used by one thread at a time: its owner (a store) holds its own lock. SQLite's
/// per-connection mutex is disabled for that reason.
final class SQLiteConnection {
  /// Whether a missing file is created.
  enum Creation: Sendable {
    /// The file must exist.
    case existing
    /// A missing file is created, empty.
    case ifMissing
  }

  /// The file's path, for error messages.
  let path: String
  /// Whether the connection is read-only.
  let isReadOnly: Bool

  let handle: OpaquePointer
  private var cache: [String: SQLiteStatement] = [:]
  /// The cached statement that was borrowed last.
  private var recent: SQLiteStatement?
  private let cacheLimit = 256
  /// How the file is read, by a connection for reading.
  let plan: StoreReadingPlan?
  /// How the file was when a connection was opened that follows it; see ``following(_:waits:timeout:isTolerant:)``.
  var seen: StoreReadingState? {
    didSet { readsUnlocked = seen?.readsUnlocked ?? false }
  }
  /// Whether what steps have read must be checked.
  // Every step asks, and only opening sets it: an exclusivity check would cost more than the question.
  @exclusivity(unchecked) private(set) var readsUnlocked = false
  /// The number of pages that were read from the file when they were last checked.
  var checkedMisses: Int32 = 0
  /// Removes the private copy made for reading, when the connection is closed.
  private var cleanUp: (() -> Void)?
  /// The time to wait for another writer before `.busy`, in seconds.
  private(set) var timeout: TimeInterval = 0

  /// Opens `location`, a path or a `file:` URI.
  init(
    location: String, flags: Int32, path: String, isReadOnly: Bool,
    plan: StoreReadingPlan? = nil, cleanUp: (() -> Void)? = nil
  ) throws(SQLiteError) {
    var handle: OpaquePointer?
    let result = sqlite3_open_v2(location, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard result == SQLITE_OK, let handle else {
      let message =
        handle.map { String(cString: sqlite3_errmsg($0)) }
        ?? String(cString: sqlite3_errstr(result))
      let extended = handle.map { sqlite3_extended_errcode($0) } ?? result
      sqlite3_close_v2(handle)
      cleanUp?()
      throw SQLiteError(
        resultCode: extended == SQLITE_OK ? result : extended, message: message, path: path)
    }
    sqlite3_extended_result_codes(handle, 1)
    self.handle = handle
    self.path = path
    self.isReadOnly = isReadOnly
    self.plan = plan
    self.cleanUp = cleanUp
  }

  /// Opens the file at `url` for reading and writing.
  ///
  /// - Parameter timeout: the time to wait for another writer before `.busy`, in seconds.
  convenience init(
    writing url: URL, creation: Creation, timeout: TimeInterval = 240
  ) throws(SQLiteError) {
    var flags = SQLITE_OPEN_READWRITE
    if creation == .ifMissing { flags |= SQLITE_OPEN_CREATE }
    try self.init(location: url.path, flags: flags, path: url.path, isReadOnly: false)
    setBusyTimeout(timeout)
    let file = OpenStoreFiles.shared.opened(url.path)
    cleanUp = { OpenStoreFiles.shared.closed(file) }
  }

  /// Opens a database in memory: a private one or, by a name, one that all connections of the process with that name share.
  static func inMemory(named name: String? = nil) throws(SQLiteError) -> SQLiteConnection {
    var location = ":memory:"
    var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    if let name {
      // SQLite shares those whose names begin with a slash.
      let escaped = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
      location = "file:/momkit-\(escaped)?vfs=memdb"
      flags |= SQLITE_OPEN_URI
    }
    return try SQLiteConnection(
      location: location, flags: flags, path: ":memory:", isReadOnly: false)
  }

  /// Whether the shared database of a location below `/dev/null` has been made.
  static func hasTables(inMemory url: URL) -> Bool {
    guard let name = StoreLocation.sharedName(of: url) else { return false }
    let connection = try? inMemory(named: name)
    connection?.setBusyTimeout(240)
    return (try? connection?.hasTables()) ?? false
  }

  /// Whether the database isn't empty.
  func hasTables() throws -> Bool {
    try integer("SELECT count(*) FROM sqlite_master") != 0
  }

  deinit {
    for statement in cache.values { statement.finalize() }
    // Statements that are still referenced keep the file open until they are finalized (the purpose of `_v2`).
    sqlite3_close_v2(handle)
    cleanUp?()
  }

  // MARK: Settings

  /// Sets the time to wait for another writer before `.busy`, in seconds.
  func setBusyTimeout(_ timeout: TimeInterval) {
    self.timeout = timeout
    let milliseconds = min(max(timeout, 0) * 1000, Double(Int32.max))
    sqlite3_busy_timeout(handle, Int32(milliseconds))
  }

  // MARK: Statements

  /// Executes `sql`, one or more statements without parameters, and discards their rows.
  func execute(_ sql: String) throws(SQLiteError) {
    var message: UnsafeMutablePointer<CChar>?
    let result = sqlite3_exec(handle, sql, nil, nil, &message)
    guard result == SQLITE_OK else {
      let text = message.map { String(cString: $0) } ?? String(cString: sqlite3_errmsg(handle))
      sqlite3_free(message)
      throw SQLiteError(resultCode: result, message: text, sql: sql, path: path)
    }
  }

  /// Prepares a statement for the caller, without caching it.
  func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    try SQLiteStatement(connection: self, sql: sql, isPersistent: false)
  }

  /// Calls `body` with the prepared form of `sql`, which is cached, and resets it afterwards.
  ///
  /// Inside `body` the same text may be requested again (which prepares a second, uncached statement).
  func withStatement<Result>(
    _ sql: String, _ body: (SQLiteStatement) throws -> Result
  ) throws -> Result {
    let statement = try borrow(sql)
    defer { recycle(statement) }
    return try body(statement)
  }

  /// Drops all cached statements that aren't in use.
  func emptyCache() {
    cache = cache.filter { $0.value.isInUse }
    recent = nil
  }

  /// Returns a borrowed statement.
  func recycle(_ statement: SQLiteStatement) {
    statement.reset()
    statement.clearBindings()
    statement.isInUse = false
  }

  /// The prepared form of `sql`, for a caller that uses it many times before returning it.
  func borrow(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    // The same statement is usually requested repeatedly: comparing is faster than hashing.
    if let recent, !recent.isInUse, recent.sql == sql {
      recent.isInUse = true
      return recent
    }
    if let statement = cache[sql] {
      guard statement.isInUse else {
        statement.isInUse = true
        recent = statement
        return statement
      }
      return try SQLiteStatement(connection: self, sql: sql, isPersistent: false)
    }
    // Programs use few different statements; starting over at the limit is cheaper than bookkeeping.
    if cache.count >= cacheLimit { emptyCache() }
    let statement = try SQLiteStatement(connection: self, sql: sql, isPersistent: true)
    statement.isInUse = true
    cache[sql] = statement
    recent = statement
    return statement
  }

  // MARK: Scalar queries

  /// The first column of the first row of `sql`, as an integer; nil without a row or for NULL.
  func integer(_ sql: String) throws -> Int64? {
    try withStatement(sql) { statement in
      guard try statement.step(), statement.type(at: 0) != .null else { return nil }
      return statement.integer(at: 0)
    }
  }

  /// The first column of the first row of `sql`, as text; nil without a row or for NULL.
  func text(_ sql: String) throws -> String? {
    try withStatement(sql) { try $0.step() ? $0.text(at: 0) : nil }
  }

  /// The number of rows changed by the last writing statement.
  var changedRowCount: Int { Int(sqlite3_changes64(handle)) }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  func error(_ result: Int32, sql: String?) -> SQLiteError {
    let extended = sqlite3_extended_errcode(handle)
    return SQLiteError(
      resultCode: extended & 0xFF == result & 0xFF ? extended : result,
      message: String(cString: sqlite3_errmsg(handle)), sql: sql, path: path)
  }
}
