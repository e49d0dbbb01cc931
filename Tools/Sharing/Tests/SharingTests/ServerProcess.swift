import Foundation
import FoundationNetworking
import SharedModel
import Testing

@testable import SharingServer

/// The database that `Tools/sharing` started.
enum TestDatabase {
  /// The database's URL, or nil if there is none; tests are then skipped.
  static let address = ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL"]
  static var isThere: Bool { address != nil }

  /// Returns the URL of a schema that nobody else uses.
  static func url() throws -> URL {
    let name = "t" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    return try #require(URL(string: "\(address ?? "")?schema=\(name)"))
  }

  /// Returns a built program of this package.
  static func program(_ name: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent(name)
  }
}

/// A server in a process of its own.
final class ServerProcess {
  static let secret = "a secret of the tests"

  let database: URL
  private(set) var url: URL
  private var process: Process
  private var port: UInt16 = 0

  init(_ database: URL) throws {
    self.database = database
    (process, url, port) = try Self.start(database, 0)
  }

  deinit { process.terminate() }

  var isRunning: Bool { process.isRunning }

  private static func start(
    _ database: URL, _ port: UInt16
  ) throws -> (Process, URL, UInt16) {
    let process = Process()
    process.executableURL = TestDatabase.program("sharing-server")
    process.arguments = ["--database", database.absoluteString, "--port", "\(port)"]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SHARING_SECRET": secret], uniquingKeysWith: { $1 })
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    var text = ""
    while !text.contains("\n") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty, "the server ended: \(text)")
      text += String(decoding: data, as: UTF8.self)
    }
    let address = text.trimmingCharacters(in: .whitespacesAndNewlines)
      .replacingOccurrences(of: "listening on ", with: "")
    let url = try #require(URL(string: address))
    return (process, url, UInt16(try #require(url.port)))
  }

  /// Kills the server (`SIGKILL`) and starts it again at the same port.
  func killAndRestart() throws {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    (process, url, port) = try Self.start(database, port)
  }

  // MARK: Requests

  /// An answer's status and body.
  struct Answer {
    let status: Int
    let body: Data

    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try JSONDecoder().decode(type, from: body)
    }
  }

  func send(
    _ path: String, body: Data? = nil, secret: String? = ServerProcess.secret,
    method: String? = nil
  ) async throws -> Answer {
    var request = URLRequest(url: try #require(URL(string: path, relativeTo: url)))
    request.httpMethod = method ?? (body == nil ? "GET" : "POST")
    request.httpBody = body
    request.timeoutInterval = 60
    if let secret { request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization") }
    let (data, response) = try await URLSession.shared.data(for: request)
    return Answer(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: data)
  }

  func fetch(_ question: FetchQuestion) async throws -> Answer {
    try await send("/fetch", body: JSONEncoder().encode(question))
  }

  func save(_ question: SaveQuestion) async throws -> Answer {
    try await send("/save", body: JSONEncoder().encode(question))
  }

  func changes(since token: String? = nil) async throws -> ChangesAnswer {
    let answer = try await send("/changes" + (token.map { "?since=\($0)" } ?? ""))
    try #require(answer.status == 200)
    return try answer.decoded()
  }
}
