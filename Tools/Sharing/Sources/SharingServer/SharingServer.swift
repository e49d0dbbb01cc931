import ArgumentParser
import FlyingFox
import Foundation

/// Serves the shared model from PostgreSQL.
@main struct SharingServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sharing-server",
    abstract: "Serves the model's objects from a PostgreSQL store.",
    discussion: """
      The environment variable SHARING_SECRET contains the secret that clients must know, at least 16 characters. \
      PGPASSWORD and libpq's other variables apply to the database.
      """)

  @Option(help: "The database's URL, such as postgresql://user@host/database?schema=notes.")
  var database: String

  @Option(help: "The port; 0 for any that is free.")
  var port: UInt16 = 8080

  @Option(help: "The address to listen on. TLS is the business of a proxy before this server.")
  var host = "127.0.0.1"

  func run() async throws {
    guard let url = URL(string: database) else {
      throw ValidationError("The database's URL is invalid.")
    }
    guard let secret = ProcessInfo.processInfo.environment["SHARING_SECRET"],
      secret.utf8.count >= 16
    else { throw ValidationError("SHARING_SECRET is missing, or shorter than 16 characters.") }
    let service = try SharingService(database: url)
    let server = HTTPServer(
      config: .init(
        address: try .inet(ip4: host, port: port), timeout: Limits.seconds,
        sharedRequestBufferSize: 16 << 10, sharedRequestReplaySize: Limits.body,
        logger: .disabled),
      handler: RequestHandler(service: service, secret: secret))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      group.addTask {
        try await server.waitUntilListening()
        guard case .ip4(let host, let port)? = await server.listeningAddress else { return }
        print("listening on http://\(host):\(port)")
        fflush(nil)
        try await ConnectionLimits(port: port).watch()
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
