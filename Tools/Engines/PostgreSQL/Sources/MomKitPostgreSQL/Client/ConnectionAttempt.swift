import CPostgreSQL
import Foundation
import MomKit

/// An attempt to connect to a server.
///
/// If it fails, whether another may succeed doesn't depend on the message, which may be in any language: what a server
/// refuses has an SQLSTATE, and otherwise it depends on how far the attempt came.
struct ConnectionAttempt {
  private let target: PostgreSQLTarget

  init(_ target: PostgreSQLTarget) { self.target = target }

  /// Connects, without blocking for longer than the target's timeout.
  func connect() throws(PostgreSQLError) -> OpaquePointer {
    guard let handle = withParameters({ PQconnectStartParams($0, $1, 1) }) else {
      throw .lost("There is no memory for a connection.")
    }
    do throws(PostgreSQLError) { try complete(handle) } catch {
      PQfinish(handle)
      throw error
    }
    return handle
  }

  /// Calls `body` with libpq's parameters: their names and values, each ended by nil.
  private func withParameters<Result>(
    _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    let seconds = String(max(2, Int(target.timeout.rounded(.up))))
    let milliseconds = String(Int(target.timeout * 1000))
    // libpq uses the last value given: the encoding follows the URL's own parameters.
    let settings = [
      ("application_name", "MomKit"), ("connect_timeout", seconds),
      ("tcp_user_timeout", milliseconds), ("keepalives_idle", "30"),
      ("dbname", target.connectionString), ("client_encoding", "UTF8"),
    ]
    let keys = settings.map { strdup($0.0) }
    let values = settings.map { strdup($0.1) }
    defer { for text in keys + values { free(text) } }
    return body(
      keys.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
  }

  private func complete(_ handle: OpaquePointer) throws(PostgreSQLError) {
    // libpq would print what a server says that ends connections.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    // Messages then contain the SQLSTATE, which libpq doesn't tell otherwise.
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    guard PQstatus(handle) != CONNECTION_BAD else {
      throw failure(handle, isFinal: !hasTried || isWrongPort(handle) || isUnknownHost(handle))
    }
    let deadline = Deadline(target.timeout)
    var status = PGRES_POLLING_WRITING
    while status != PGRES_POLLING_OK {
      try wait(forReading: status == PGRES_POLLING_READING, handle, deadline)
      let isAnswered = hasInput(handle)
      status = PQconnectPoll(handle)
      guard status != PGRES_POLLING_FAILED, PQstatus(handle) != CONNECTION_BAD else {
        // A server that is stopping or starting closes connections, or none can be opened. One that answers has its
        // reasons, or the client doesn't accept the answer.
        throw failure(handle, isFinal: isAnswered && !choosesServer(handle))
      }
    }
    PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
    _ = PQsetnonblocking(handle, 1)
  }

  private func wait(
    forReading: Bool, _ handle: OpaquePointer, _ deadline: Deadline
  ) throws(PostgreSQLError) {
    var descriptor = pollfd(
      fd: PQsocket(handle), events: Int16(forReading ? POLLIN : POLLOUT), revents: 0)
    while true {
      let left = deadline.milliseconds
      let count = poll(&descriptor, 1, left)
      if count > 0 { return }
      if count < 0, errno != EINTR { throw failure(handle, isFinal: false) }
      if left <= 0 { throw .timeout("Connecting", after: deadline.seconds) }
    }
  }

  // MARK: Reasons

  /// Whether the server has sent something that libpq hasn't read yet.
  private func hasInput(_ handle: OpaquePointer) -> Bool {
    var byte: UInt8 = 0
    return recv(PQsocket(handle), &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
  }

  /// Whether libpq tries to connect at all: it doesn't with parameters that it can't parse.
  private var hasTried: Bool { withParameters { PQpingParams($0, $1, 1) } != PQPING_NO_ATTEMPT }

  private func isWrongPort(_ handle: OpaquePointer) -> Bool {
    let port = PQport(handle).map { String(cString: $0) } ?? ""
    return !port.isEmpty && UInt16(port) == nil
  }

  private func isUnknownHost(_ handle: OpaquePointer) -> Bool {
    guard let host = PQhost(handle), host.pointee != 0, host.pointee != CChar(UInt8(ascii: "/"))
    else { return false }
    var addresses: UnsafeMutablePointer<addrinfo>?
    defer { if let addresses { freeaddrinfo(addresses) } }
    return getaddrinfo(host, nil, nil, &addresses) == EAI_NONAME
  }

  /// Whether the client looks for a server in some state, such as one that can be written to, which another attempt may
  /// find.
  private func choosesServer(_ handle: OpaquePointer) -> Bool {
    guard let options = PQconninfo(handle) else { return false }
    defer { PQconninfoFree(options) }
    var option = options
    while let keyword = option.pointee.keyword {
      if strcmp(keyword, "target_session_attrs") == 0 {
        return option.pointee.val.map { strcmp($0, "any") != 0 } ?? false
      }
      option += 1
    }
    return false
  }

  private func failure(_ handle: OpaquePointer, isFinal: Bool) -> PostgreSQLError {
    let text = String(cString: PQerrorMessage(handle))
    // `FATAL:  57P03: the database system is starting up`; of several hosts or addresses, one that may recover counts.
    let states = text.matches(of: /:[ ]{2}([0-9A-Z]{5}):[ ]/).map { String($0.1) }
    let errors = states.map { PostgreSQLError(state: $0, message: "") }
    let state = errors.first { $0.isLostConnection }?.state ?? states.last
    let lines = text.replacing(/:[ ]{2}[0-9A-Z]{5}:[ ]/, with: ": ").split(separator: "\n")
    // The place in the server's source that reported the error.
    let told = lines.filter { $0.wholeMatch(of: /\S+:[ ]+\w+, [\w.]+:\d+/) == nil }
    var error = PostgreSQLError(
      state: state ?? "", message: PostgreSQLError.redacted(told.joined(separator: "\n")))
    error.isFinal = state == nil && isFinal
    return error
  }
}
