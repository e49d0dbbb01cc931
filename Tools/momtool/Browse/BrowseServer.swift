import FlyingFox
import Foundation
import Synchronization

/// Serves a session on the loopback address, on a given port or one that the system chooses.
struct BrowseServer: Sendable {
  let session: BrowseSession
  /// The port, or 0 for any free port.
  let port: UInt16
  private let gate = Gate()

  /// Holds the gate once the port is known.
  private final class Gate: Sendable {
    let guards = Mutex<BrowseGate?>(nil)
  }

  init(_ session: BrowseSession, port: UInt16) {
    self.session = session
    self.port = port
  }

  /// Runs the server until it is stopped.
  ///
  /// - Parameter started: called with the address once the server accepts connections.
  func run(started: @escaping @Sendable (String) throws -> Void) async throws {
    let server = HTTPServer(
      config: .init(
        address: try .inet(ip4: "127.0.0.1", port: port), timeout: 600,
        sharedRequestBufferSize: 1024, sharedRequestReplaySize: 1024, logger: .disabled),
      handler: Handler(server: self))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      group.addTask {
        try await server.waitUntilListening()
        guard case .ip4(_, let port)? = await server.listeningAddress else {
          throw Diagnostic("the server's address is unknown")
        }
        let gate = BrowseGate(port: port)
        self.gate.guards.withLock { $0 = gate }
        try started(gate.address)
        try await BrowseConnections(port: port).watch()
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private struct Handler: HTTPHandler {
    let server: BrowseServer

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
      let answer = await server.answer(to: request)
      var headers: HTTPHeaders = [
        .contentType: answer.type, .cacheControl: "no-store",
        HTTPHeader("X-Content-Type-Options"): "nosniff", HTTPHeader("X-Frame-Options"): "DENY",
        HTTPHeader("Referrer-Policy"): "no-referrer",
        HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
        HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
        HTTPHeader("Content-Security-Policy"):
          "default-src 'none'; frame-ancestors 'none'; sandbox",
      ]
      for (name, value) in answer.headers { headers.setValues([value], for: HTTPHeader(name)) }
      return HTTPResponse(
        statusCode: HTTPStatusCode(answer.status, phrase: Self.phrases[answer.status] ?? "Answer"),
        headers: headers, body: Data(request.method == .HEAD ? [] : answer.body))
    }

    private static let phrases = [
      200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
      413: "Content Too Large", 414: "URI Too Long", 500: "Internal Server Error",
    ]
  }

  private func answer(to request: HTTPRequest) async -> BrowseAnswer {
    guard let gate = gate.guards.withLock({ $0 }) else {
      return .refusal(403, "The server is starting.")
    }
    let length = request.headers[.contentLength].map { $0 != "0" } ?? false
    do {
      let path = try gate.admitted(
        .init(
          method: request.method.rawValue, path: request.target.path(),
          length: request.target.rawValue.utf8.count, host: request.headers[.host],
          origin: request.headers[HTTPHeader("Origin")],
          fetchSite: request.headers[HTTPHeader("Sec-Fetch-Site")],
          hasBody: length || request.headers[.transferEncoding] != nil))
      var values: [String: String] = [:]
      for item in request.query.prefix(32) { values[item.name] = item.value }
      return await session.answer(.init(path: path, values: values))
    } catch {
      switch error {
      case .method: return .refusal(405, "Only GET requests are supported.")
      case .tooLong: return .refusal(414, "The address is too long.")
      case .body: return .refusal(413, "Requests can't have a body.")
      case .host, .origin, .token:
        return .refusal(403, "Open the address that momtool browse printed.")
      }
    }
  }
}
