import Foundation
import SharedModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The server's three requests.
struct ServiceConnection: Sendable {
  let server: URL
  let secret: String
  private let session: URLSession

  init(server: URL, secret: String) {
    (self.server, self.secret) = (server, secret)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 60
    session = URLSession(configuration: configuration)
  }

  /// Closes the connection.
  func end() { session.finishTasksAndInvalidate() }

  func save(_ question: SaveQuestion) async throws -> SaveAnswer {
    try await post(question, to: "save")
  }

  func fetch(_ question: FetchQuestion) async throws -> FetchAnswer {
    try await post(question, to: "fetch")
  }

  func changes(since token: String?) async throws -> ChangesAnswer {
    var components = URLComponents(
      url: server.appendingPathComponent("changes"), resolvingAgainstBaseURL: false)
    components?.queryItems = token.map { [URLQueryItem(name: "since", value: $0)] }
    guard let url = components?.url else { throw URLError(.badURL) }
    return try await answer(to: URLRequest(url: url))
  }

  private func post<Answer: Decodable>(
    _ question: some Encodable, to path: String
  ) async throws -> Answer {
    var request = URLRequest(url: server.appendingPathComponent(path))
    request.httpMethod = "POST"
    request.httpBody = try JSONEncoder().encode(question)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    return try await answer(to: request)
  }

  private func answer<Answer: Decodable>(to request: URLRequest) async throws -> Answer {
    var request = request
    request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await session.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if status == 200 { return try JSONDecoder().decode(Answer.self, from: data) }
    let error = try? JSONDecoder().decode(ErrorAnswer.self, from: data)
    switch status {
    case 409: throw Conflicts(list: error?.conflicts ?? [])
    case 410: throw HistoryIsGone()
    case 503: throw SyncError.busy
    default:
      throw SyncError.refused(
        status: status, code: error?.code ?? 0, message: error?.message ?? "")
    }
  }

  /// The server has other versions of these objects.
  struct Conflicts: Error { let list: [ErrorAnswer.Conflict] }

  /// The server no longer has the history that follows the token.
  struct HistoryIsGone: Error {}
}

/// A reason for which a store isn't synchronized. Errors of the connection are `URLError`s.
public enum SyncError: Error, Sendable {
  /// The server can't save at the moment. Synchronize later.
  case busy
  /// Another process is synchronizing this store.
  case isRunning
  /// The server refuses what the app has saved.
  case refused(status: Int, code: Int, message: String)
}
