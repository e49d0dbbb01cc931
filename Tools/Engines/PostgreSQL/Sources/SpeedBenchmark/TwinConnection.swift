import CPostgreSQL
import Foundation

/// A connection as a program in C would use it: prepared statements, binary values, pipelines and `COPY`, all blocking.
final class TwinConnection {
  /// What the server or libpq refused.
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// A prepared statement with its parameters.
  typealias Call = (name: String, parameters: TwinParameters)

  private let handle: OpaquePointer
  /// The number of times that the program waited for the server.
  private(set) var roundTrips = 0

  /// Opens a connection whose statements refer to the tables of a schema.
  init(url: String, schema: String) throws {
    guard let handle = PQconnectdb(url) else { throw Failure(description: "no memory") }
    self.handle = handle
    guard PQstatus(handle) == CONNECTION_OK else { throw failure() }
    try execute("SET search_path TO \(schema); SET client_min_messages = warning")
  }

  deinit { PQfinish(handle) }

  private func failure() -> Failure {
    Failure(description: String(cString: PQerrorMessage(handle)))
  }

  private func rows(_ result: OpaquePointer?) throws -> TwinRows {
    guard let result else { throw failure() }
    let rows = TwinRows(result)
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return rows
    default: throw Failure(description: String(cString: PQresultErrorMessage(result)))
    }
  }

  /// Executes SQL text.
  func execute(_ sql: String) throws {
    roundTrips += 1
    _ = try rows(PQexec(handle, sql))
  }

  /// Prepares a statement; the server infers the types of its parameters.
  func prepare(_ name: String, _ sql: String) throws {
    roundTrips += 1
    _ = try rows(PQprepare(handle, name, sql, 0, nil))
  }

  /// Executes a prepared statement and returns its rows.
  func run(_ name: String, _ parameters: TwinParameters = TwinParameters()) throws -> TwinRows {
    roundTrips += 1
    guard send((name, parameters)) else { throw failure() }
    let answer = PQgetResult(handle)
    while let more = PQgetResult(handle) { PQclear(more) }
    return try rows(answer)
  }

  /// Executes prepared statements in a pipeline, which is one round trip.
  func runAll(_ calls: [Call]) throws -> [TwinRows] {
    roundTrips += 1
    guard PQenterPipelineMode(handle) == 1 else { throw failure() }
    for call in calls { guard send(call) else { throw failure() } }
    guard PQpipelineSync(handle) == 1 else { throw failure() }
    var answers: [TwinRows] = []
    for _ in calls {
      let answer = PQgetResult(handle)
      while let more = PQgetResult(handle) { PQclear(more) }
      answers.append(try rows(answer))
    }
    PQclear(PQgetResult(handle))
    guard PQexitPipelineMode(handle) == 1 else { throw failure() }
    return answers
  }

  private func send(_ call: Call) -> Bool {
    let parameters = call.parameters
    let lengths = (0..<parameters.count).map(parameters.length)
    let formats = [Int32](repeating: 1, count: parameters.count)
    return parameters.bytes.withUnsafeBytes { bytes in
      let values = parameters.offsets.map { offset in
        bytes.baseAddress.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
      }
      return PQsendQueryPrepared(
        handle, call.name, Int32(parameters.count), values, lengths, formats, 1) == 1
    }
  }

  /// Copies rows into a table: `body` appends the fields of each.
  func copy(
    _ target: String, rows count: Int, fields: Int16, _ body: (Int, inout TwinParameters) -> Void
  ) throws {
    roundTrips += 1
    let begun = PQexec(handle, "COPY \(target) FROM STDIN (FORMAT binary)")
    defer { PQclear(begun) }
    guard PQresultStatus(begun) == PGRES_COPY_IN else { throw failure() }
    var buffer = TwinParameters()
    buffer.beginCopy()
    for row in 0..<count {
      buffer.beginRow(fields: fields)
      body(row, &buffer)
      if buffer.bytes.count > 1 << 16 { try put(&buffer) }
    }
    buffer.endCopy()
    try put(&buffer)
    roundTrips += 1
    guard PQputCopyEnd(handle, nil) == 1 else { throw failure() }
    let answer = PQgetResult(handle)
    while let more = PQgetResult(handle) { PQclear(more) }
    _ = try rows(answer)
  }

  private func put(_ buffer: inout TwinParameters) throws {
    let isSent = buffer.bytes.withUnsafeBytes {
      PQputCopyData(
        handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count)) == 1
    }
    guard isSent else { throw failure() }
    buffer.removeAll()
  }
}
