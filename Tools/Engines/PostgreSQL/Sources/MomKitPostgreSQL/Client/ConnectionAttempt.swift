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
    var (address, addressDeadline) = ([String](), deadline)
    while status != PGRES_POLLING_OK {
      let present = self.address(handle)
      if present != address { (address, addressDeadline) = (present, Deadline(patience(handle))) }
      let isPassedOver = try wait(
        forReading: status == PGRES_POLLING_READING, handle, deadline,
        PQstatus(handle) == CONNECTION_STARTED ? addressDeadline : nil)
      if isPassedOver { address = [] }
      // To look for input would take the error of an attempt to connect, which tells libpq to try the next address.
      let isAnswered = PQstatus(handle) != CONNECTION_STARTED && hasInput(handle)
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

  /// Waits until libpq can go on.
  ///
  /// - Parameter addressDeadline: when an address that hasn't answered by then is passed over.
  /// - Returns: whether it is passed over.
  private func wait(
    forReading: Bool, _ handle: OpaquePointer, _ deadline: Deadline, _ addressDeadline: Deadline?
  ) throws(PostgreSQLError) -> Bool {
    var descriptor = pollfd(
      fd: PQsocket(handle), events: Int16(forReading ? POLLIN : POLLOUT), revents: 0)
    while true {
      let left = deadline.milliseconds
      let addressLeft = addressDeadline?.milliseconds ?? left
      let count = poll(&descriptor, 1, min(left, addressLeft))
      if count > 0 { return false }
      if count < 0, errno != EINTR { throw failure(handle, isFinal: false) }
      if left <= 0 { throw .timeout("Connecting", after: deadline.seconds) }
      if count == 0, addressLeft <= 0 {
        // `PQconnectPoll` ignores `connect_timeout`, and goes on to the next address when this one is reset.
        shutdown(PQsocket(handle), Int32(SHUT_RDWR))
        return true
      }
    }
  }

  // MARK: Addresses

  /// What distinguishes the address that libpq is trying from the others.
  private func address(_ handle: OpaquePointer) -> [String] {
    [PQhost(handle), PQhostaddr(handle), PQport(handle)].map { text in
      text.map { String(cString: $0) } ?? ""
    }
  }

  /// The number of seconds to wait for one address: of several hosts, all are tried before the timeout.
  private func patience(_ handle: OpaquePointer) -> Double {
    let hosts = ["hostaddr", "host"].compactMap { option($0, handle) }.first { !$0.isEmpty }
    let count = (hosts ?? "").split(separator: ",", omittingEmptySubsequences: false).count
    let share = target.timeout / Double(max(1, count))
    guard let seconds = option("connect_timeout", handle).flatMap(Double.init), seconds > 0 else {
      return share
    }
    return min(share, seconds)
  }

  /// The value of a connection parameter, wherever it is from.
  private func option(_ name: String, _ handle: OpaquePointer) -> String? {
    guard let options = PQconninfo(handle) else { return nil }
    defer { PQconninfoFree(options) }
    var option = options
    while let keyword = option.pointee.keyword {
      if strcmp(keyword, name) == 0 { return option.pointee.val.map { String(cString: $0) } }
      option += 1
    }
    return nil
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
    option("target_session_attrs", handle).map { $0 != "any" } ?? false
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
