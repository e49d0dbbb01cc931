import CPostgreSQL
import Foundation
import MomKit

/// A connection to a server. Not safe for concurrent use.
///
/// It never blocks indefinitely: all I/O is nonblocking and bounded by the target's timeout.
final class PostgreSQLConnection {
  /// A statement and its parameter values.
  struct Statement {
    var sql: String
    var parameters = PostgreSQLParameters()
    /// Whether the server should keep the statement prepared for reuse. True by default.
    var isKept = true

    init(_ sql: String, _ parameters: PostgreSQLParameters = PostgreSQLParameters()) {
      (self.sql, self.parameters) = (sql, parameters)
    }
  }

  /// What distinguishes one prepared statement from another.
  private struct StatementKey: Hashable {
    let sql: String
    let types: [UInt32]

    init(_ statement: Statement) { (sql, types) = (statement.sql, statement.parameters.types) }
  }

  /// The maximum number of statements kept prepared per connection.
  private static let keptStatements = 200

  let target: PostgreSQLTarget
  private let handle: OpaquePointer
  private var names: [StatementKey: String] = [:]
  private var lastName = 0
  /// Whether the connection is unusable.
  private(set) var isBroken = false
  /// How long to wait for each response, in seconds.
  private var responseTimeout: Double
  /// For each result of the running pipeline, the number of its statement; nil for one of `PREPARE`, which are
  /// interleaved with the others.
  private var answers: [Int?] = []
  /// The number of its statements so far.
  private var pipedCount = 0
  /// The number of bytes since libpq was last asked to send.
  private var pipedBytes = 0
  /// The number of bytes that libpq may hold, because the server hasn't taken them yet.
  private var unsentBytes = 0
  /// The number of bytes that libpq may hold, whose buffers never reach two gigabytes.
  private static let mostUnsentBytes = 16 << 20
  /// The bytes of the running copy that weren't sent yet.
  private var copied: [UInt8] = []
  /// The number of round trips made so far.
  private(set) var roundTrips = 0

  /// Opens a connection.
  init(_ target: PostgreSQLTarget) throws(PostgreSQLError) {
    self.target = target
    responseTimeout = target.timeout + 1
    handle = try ConnectionAttempt(target).connect()
    do throws(PostgreSQLError) {
      try prepareSession()
    } catch {
      close()
      throw error
    }
  }

  deinit { if !isFinished { PQfinish(handle) } }
  private var isFinished = false

  private func prepareSession() throws(PostgreSQLError) {
    let milliseconds = Int(target.timeout * 1000)
    var sql =
      "SET statement_timeout = \(milliseconds); SET lock_timeout = \(milliseconds); "
      + "SET idle_in_transaction_session_timeout = \(milliseconds * 4); "
      + "SET extra_float_digits = 1; SET client_min_messages = warning"
    if let schema = target.schema {
      sql += "; SET search_path TO \(SQL.quoted(schema))"
    }
    try execute(sql)
  }

  // MARK: Waiting

  private func wait(
    forReading: Bool, writing: Bool, _ deadline: Deadline
  ) throws(PostgreSQLError) {
    var events: Int32 = 0
    if forReading { events |= POLLIN }
    if writing { events |= POLLOUT }
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
    guard descriptor.fd >= 0 else { throw lost() }
    while true {
      let left = deadline.milliseconds
      let count = poll(&descriptor, 1, left)
      if count > 0 { return }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw lost() }
      guard left <= 0 || deadline.milliseconds <= 0 else { continue }
      isBroken = true
      throw .timeout("The server's response", after: deadline.seconds)
    }
  }

  /// Returns the next result, or nil once the current statement has no more.
  private func nextResult(_ deadline: Deadline) throws(PostgreSQLError) -> OpaquePointer? {
    while true {
      let flushed = PQflush(handle)
      if flushed < 0 { throw lost() }
      if PQisBusy(handle) == 0 { return PQgetResult(handle) }
      try wait(forReading: true, writing: flushed == 1, deadline)
      if PQconsumeInput(handle) == 0 { throw lost() }
    }
  }

  /// Like ``nextResult(_:)``, but the timeout for responses begins again whenever something arrives, as a result may take
  /// as long as there are rows. The clock isn't looked at for one that is there, as most single rows are.
  private func nextRow() throws(PostgreSQLError) -> OpaquePointer? {
    while true {
      let flushed = PQflush(handle)
      if flushed < 0 { throw lost() }
      if PQisBusy(handle) == 0 { return PQgetResult(handle) }
      try wait(forReading: true, writing: flushed == 1, Deadline(responseTimeout))
      if PQconsumeInput(handle) == 0 { throw lost() }
    }
  }

  private func lost() -> PostgreSQLError {
    isBroken = true
    let message = PostgreSQLError.redacted(String(cString: PQerrorMessage(handle)))
    return .lost(message.isEmpty ? "The connection to the server was lost." : message)
  }

  /// Returns the error for a rejected statement. Omits `DETAIL`, which may contain values from rows.
  private func refusal(_ result: OpaquePointer) -> PostgreSQLError {
    func field(_ code: UnicodeScalar) -> String? {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
    let state = field("C") ?? ""
    if PQstatus(handle) == CONNECTION_BAD { isBroken = true }
    let message = field("M") ?? String(cString: PQresultErrorMessage(result))
    var error = PostgreSQLError(state: state, message: PostgreSQLError.redacted(message))
    error.constraint = field("n")
    // Prepared statements refer to tables as they were before the change.
    if error.isStale { forgetStatements() }
    if error.isLostConnection { isBroken = true }
    return error
  }

  // MARK: Statements

  /// Executes SQL text without parameters; it may contain several statements.
  func execute(_ sql: String) throws(PostgreSQLError) {
    roundTrips += 1
    let deadline = Deadline(responseTimeout)
    guard PQsendQuery(handle, sql) == 1 else { throw lost() }
    var first: PostgreSQLError?
    while let result = try nextResult(deadline) {
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: break
      default: if first == nil { first = refusal(result) }
      }
    }
    if let first { throw first }
  }

  /// Runs a statement and passes each row to a closure.
  ///
  /// - Parameter streams: whether rows are passed one by one as they arrive, so that memory doesn't grow with their
  ///   number. Otherwise, all are received first, which takes less time for each: what makes an object of each row uses
  ///   more memory anyway.
  func run(
    _ statement: Statement, streams: Bool = false, _ body: (PostgreSQLRow) throws -> Void = { _ in }
  ) throws {
    roundTrips += 1
    let deadline = Deadline(responseTimeout)
    try prepare(statement, deadline)
    try send(statement)
    if streams { _ = PQsetSingleRowMode(handle) }
    var failure: (any Error)?
    while let result = try nextRow() {
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK:
        guard failure == nil else { continue }
        for number in 0..<PQntuples(result) {
          do { try body(PostgreSQLRow(result, number)) } catch { failure = error }
        }
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
      default: failure = refusal(result)
      }
    }
    if let failure { throw failure }
  }

  /// Runs statements in a pipeline: all are sent before the first result is read. If one is rejected, those after it
  /// aren't run.
  ///
  /// - Parameter body: called for each statement that ran, with its index, the number of rows it affected or
  ///   returned, and its rows.
  func runAll(
    _ statements: [Statement],
    _ body: (_ number: Int, _ count: Int, _ rows: [PostgreSQLRow]) throws -> Void
  ) throws {
    guard !statements.isEmpty else { return }
    try pipelined({ for statement in statements { try pipe(statement) } }, body)
  }

  /// Runs a pipeline, in which the server runs statements while others are being made.
  ///
  /// - Parameters:
  ///   - fill: adds the statements by ``pipe(_:)``. If it fails, what has run so far is in the transaction.
  ///   - body: called for each statement that ran, as by ``runAll(_:_:)``.
  func pipelined(
    _ fill: () throws -> Void,
    _ body: (_ number: Int, _ count: Int, _ rows: [PostgreSQLRow]) throws -> Void
  ) throws {
    roundTrips += 1
    guard PQenterPipelineMode(handle) == 1 else { throw lost() }
    (answers, pipedCount, pipedBytes, unsentBytes) = ([], 0, 0, 0)
    do { try fill() } catch {
      if !isBroken { try? endPipeline { _, _, _ in } }
      throw error
    }
    try endPipeline(body)
  }

  /// Adds a statement to the running pipeline.
  func pipe(_ statement: Statement) throws(PostgreSQLError) {
    if statement.isKept, names[StatementKey(statement)] == nil {
      let name = newName(for: statement)
      guard sendPrepare(statement, name) else { throw lost() }
      answers.append(nil)
    }
    try send(statement)
    answers.append(pipedCount)
    pipedCount += 1
    pipedBytes += statement.parameters.bytes.count
    // Results are read along the way; otherwise the server would stop reading.
    guard pipedCount % 64 == 0 || pipedBytes > 1 << 16 else { return }
    unsentBytes += pipedBytes
    pipedBytes = 0
    let flushed = PQflush(handle)
    if flushed < 0 { throw lost() }
    if PQconsumeInput(handle) == 0 { throw lost() }
    if flushed == 1, unsentBytes > Self.mostUnsentBytes { try flush(Deadline(responseTimeout)) }
    if flushed == 0 || unsentBytes > Self.mostUnsentBytes { unsentBytes = 0 }
  }

  private func endPipeline(
    _ body: (_ number: Int, _ count: Int, _ rows: [PostgreSQLRow]) throws -> Void
  ) throws {
    let deadline = Deadline(responseTimeout)
    guard PQpipelineSync(handle) == 1 else { throw lost() }
    var failure: (any Error)?
    var index = 0
    // After a statement that returns no rows, libpq stays in single-row mode for the next one.
    var single: [OpaquePointer] = []
    defer { for result in single { PQclear(result) } }
    while true {
      guard let result = try nextResult(deadline) else {
        index += 1
        continue
      }
      if PQresultStatus(result) == PGRES_SINGLE_TUPLE {
        single.append(result)
        continue
      }
      defer {
        for result in single + [result] { PQclear(result) }
        single = []
      }
      let number = index < answers.count ? answers[index] : nil
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        guard PQexitPipelineMode(handle) == 1 else { throw lost() }
        if let failure {
          forgetStatements()
          throw failure
        }
        return
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
        guard let number, failure == nil else { continue }
        let rows = (single + [result]).flatMap { result in
          (0..<PQntuples(result)).map { PostgreSQLRow(result, $0) }
        }
        let changed = Int(String(cString: PQcmdTuples(result))) ?? 0
        do { try body(number, changed, rows) } catch { failure = error }
      case PGRES_PIPELINE_ABORTED: break
      default: if failure == nil { failure = refusal(result) }
      }
    }
  }

  /// Runs `body` without timeouts: for statements that take as long as there are rows. A server that is gone is still
  /// noticed, by TCP.
  ///
  /// The server's own timeouts must have been turned off by `SET LOCAL`.
  func withoutTimeouts<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = responseTimeout
    responseTimeout = 1e9
    defer { responseTimeout = before }
    return try body()
  }

  /// The statements that turn off the server's timeouts for a transaction.
  static let noTimeouts =
    "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; "
    + "SET LOCAL idle_in_transaction_session_timeout = 0"

  // MARK: Copying

  /// Begins a `COPY … FROM STDIN` in PostgreSQL's binary format, which ``endCopy()`` must end.
  func beginCopy(_ sql: String) throws(PostgreSQLError) {
    roundTrips += 1
    guard PQsendQuery(handle, sql) == 1 else { throw lost() }
    guard let begun = try nextResult(Deadline(responseTimeout)) else { throw lost() }
    defer { PQclear(begun) }
    guard PQresultStatus(begun) == PGRES_COPY_IN else {
      let error = refusal(begun)
      while let result = try nextResult(Deadline(responseTimeout)) { PQclear(result) }
      throw error
    }
    // The signature, flags, and an empty header extension.
    copied = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  }

  /// Adds a row to the running copy.
  func copyRow(_ values: [PostgreSQLValue]) throws(PostgreSQLError) {
    PostgreSQLParameters.put(Int16(truncatingIfNeeded: values.count), into: &copied)
    for value in values { PostgreSQLParameters.putField(value, into: &copied) }
    guard copied.count > 1 << 16 else { return }
    try putCopied()
  }

  /// Ends a copy.
  ///
  /// - Parameter isGivenUp: whether the server should discard the rows, because of an error here.
  func endCopy(isGivenUp: Bool = false) throws(PostgreSQLError) {
    if !isGivenUp {
      copied += [0xFF, 0xFF]
      try putCopied()
    }
    while true {
      let ended = PQputCopyEnd(handle, isGivenUp ? "given up" : nil)
      if ended == 1 { break }
      if ended < 0 { throw lost() }
      try wait(forReading: true, writing: true, Deadline(responseTimeout))
    }
    roundTrips += 1
    var failure: PostgreSQLError?
    while let result = try nextResult(Deadline(responseTimeout)) {
      if PQresultStatus(result) != PGRES_COMMAND_OK, failure == nil { failure = refusal(result) }
      PQclear(result)
    }
    if let failure, !isGivenUp { throw failure }
  }

  private func putCopied() throws(PostgreSQLError) {
    let deadline = Deadline(responseTimeout)
    while true {
      let sent = copied.withUnsafeBytes {
        PQputCopyData(
          handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
      }
      if sent == 1 { break }
      if sent < 0 { throw lost() }
      try flush(deadline)
    }
    copied.removeAll(keepingCapacity: true)
    // Flushed at the server's pace, so that no more than this is buffered.
    try flush(deadline)
  }

  private func flush(_ deadline: Deadline) throws(PostgreSQLError) {
    while true {
      let flushed = PQflush(handle)
      if flushed == 0 { return }
      if flushed < 0 { throw lost() }
      try wait(forReading: true, writing: true, deadline)
      if PQconsumeInput(handle) == 0 { throw lost() }
    }
  }

  // MARK: Sending

  private func newName(for statement: Statement) -> String {
    lastName += 1
    let name = "m\(lastName)"
    names[StatementKey(statement)] = name
    return name
  }

  /// Discards the list of prepared statements: some may never have been prepared.
  private func forgetStatements() {
    names = [:]
    isCrowded = true
  }
  private var isCrowded = false

  /// Deallocates prepared statements on the server if there are too many.
  func tidy() throws(PostgreSQLError) {
    guard isCrowded || names.count >= Self.keptStatements else { return }
    try execute("DEALLOCATE ALL")
    names = [:]
    isCrowded = false
  }

  private func prepare(
    _ statement: Statement, _ deadline: Deadline
  ) throws(PostgreSQLError) {
    guard statement.isKept, names[StatementKey(statement)] == nil else { return }
    let name = newName(for: statement)
    guard sendPrepare(statement, name) else { throw lost() }
    var failure: PostgreSQLError?
    while let result = try nextResult(deadline) {
      if PQresultStatus(result) != PGRES_COMMAND_OK, failure == nil { failure = refusal(result) }
      PQclear(result)
    }
    if let failure {
      names[StatementKey(statement)] = nil
      throw failure
    }
  }

  private func sendPrepare(_ statement: Statement, _ name: String) -> Bool {
    statement.parameters.types.withUnsafeBufferPointer {
      PQsendPrepare(handle, name, statement.sql, Int32($0.count), $0.baseAddress) == 1
    }
  }

  private func send(_ statement: Statement) throws(PostgreSQLError) {
    let parameters = statement.parameters
    guard parameters.count <= 65_535 else {
      throw PostgreSQLError(
        state: "54000", message: "A statement has \(parameters.count) parameters.")
    }
    try parameters.checkSize()
    let formats = [Int32](repeating: 1, count: parameters.count)
    let name = statement.isKept ? names[StatementKey(statement)] : nil
    let isSent = parameters.bytes.withUnsafeBytes { bytes -> Bool in
      // An empty value needs a non-null address; otherwise it would be sent as NULL.
      let base = bytes.baseAddress ?? UnsafeRawPointer(Self.nothing)
      let values = parameters.offsets.map { offset in
        offset < 0 ? nil : (base + offset).assumingMemoryBound(to: CChar.self)
      }
      if let name {
        return PQsendQueryPrepared(
          handle, name, Int32(parameters.count), values, parameters.lengths, formats, 1) == 1
      }
      return PQsendQueryParams(
        handle, statement.sql, Int32(parameters.count), parameters.types, values,
        parameters.lengths, formats, 1) == 1
    }
    guard isSent else { throw lost() }
  }

  nonisolated(unsafe) private static let nothing = UnsafeMutableRawPointer.allocate(
    byteCount: 8, alignment: 8)

  // MARK: State

  /// Whether no transaction is open and the server hasn't closed the connection.
  var isUsable: Bool {
    guard !isBroken, PQstatus(handle) == CONNECTION_OK,
      PQtransactionStatus(handle) == PQTRANS_IDLE, PQpipelineStatus(handle) == PQ_PIPELINE_OFF
    else { return false }
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // After what a server says that ends the connection comes its end.
    while poll(&descriptor, 1, 0) > 0 {
      guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { return false }
    }
    return true
  }

  /// The encoding of the database, such as `UTF8`.
  var databaseEncoding: String {
    PQparameterStatus(handle, "server_encoding").map { String(cString: $0) } ?? ""
  }

  /// The socket's file descriptor, for polling.
  var socket: Int32 { PQsocket(handle) }

  /// Returns the payloads of the notifications received so far.
  func takeNotifications() throws(PostgreSQLError) -> [String] {
    if PQconsumeInput(handle) == 0 { throw lost() }
    var payloads: [String] = []
    while let notification = PQnotifies(handle) {
      payloads.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    return payloads
  }

  /// Closes the connection.
  func close() {
    guard !isFinished else { return }
    isFinished = true
    isBroken = true
    PQfinish(handle)
  }
}
