import FlyingFox
import Foundation
import SharedModel

/// Answers HTTP requests with JSON.
struct RequestHandler: HTTPHandler {
  let service: SharingService
  let secret: String

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    do {
      return try await Self.response(200, answer(to: request))
    } catch {
      // What is left of the body isn't the next request.
      try? await Self.discardBody(request)
      let refusal = error as? Refusal ?? Refusal(error)
      if refusal.status >= 500 { Self.log(error) }
      return try Self.response(refusal.status, refusal.answer)
    }
  }

  private func answer(to request: HTTPRequest) async throws -> any Encodable {
    guard isAuthorized(request.headers[.authorization]) else {
      throw Refusal(401, "The Authorization header doesn't contain the secret.")
    }
    let path = request.target.path()
    switch (path, request.method) {
    case ("/fetch", .POST): return try await service.fetch(try await question(request))
    case ("/save", .POST): return try await service.save(try await question(request))
    case ("/changes", .GET):
      let items = request.query.filter { $0.name == "since" }
      guard items.count <= 1 else { throw Refusal.malformed("There is more than one token.") }
      return try await service.changes(since: items.first?.value)
    case ("/fetch", _), ("/save", _), ("/changes", _):
      throw Refusal(405, "Use POST for /fetch and /save, and GET for /changes.")
    default: throw Refusal(404, "There are /fetch, /save and /changes.")
    }
  }

  /// Whether the header is `Bearer` and the secret, in time that depends on the header's length alone.
  private func isAuthorized(_ header: String?) -> Bool {
    let given = Array((header ?? "").utf8)
    let wanted = Array("Bearer \(secret)".utf8)
    var difference = given.count ^ wanted.count
    for (place, byte) in given.enumerated() {
      difference |= Int(byte ^ wanted[place % wanted.count])
    }
    return difference == 0
  }

  /// Reads and decodes a request's body.
  private func question<Question: Decodable>(_ request: HTTPRequest) async throws -> Question {
    guard request.headers[.transferEncoding] == nil else {
      throw Refusal(411, "The body needs a Content-Length.")
    }
    guard let count = request.bodySequence.count, count <= Limits.body else {
      throw Refusal(413, "The body is larger than \(Limits.body) bytes.")
    }
    let body = try await request.bodyData
    do {
      return try JSONDecoder().decode(Question.self, from: body)
    } catch let error as DecodingError {
      throw Refusal.malformed("The body: \(Self.text(error))")
    }
  }

  private static func text(_ error: DecodingError) -> String {
    func place(_ context: DecodingError.Context) -> String {
      let path = context.codingPath.prefix(10).map { String($0.stringValue.prefix(50)) }
      return "\(path.joined(separator: ".")): \(context.debugDescription.prefix(200))"
    }
    return switch error {
    case .keyNotFound(let key, let context):
      "\(key.stringValue.prefix(50)) is missing. \(place(context))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      place(context)
    @unknown default: "It isn't as it should be."
    }
  }

  private static func discardBody(_ request: HTTPRequest) async throws {
    for try await _ in request.bodySequence {}
  }

  private static func response(_ status: Int, _ value: any Encodable) throws -> HTTPResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return HTTPResponse(
      statusCode: HTTPStatusCode(status, phrase: phrases[status] ?? "Answer"),
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: try encoder.encode(value))
  }

  private static let phrases = [
    200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found",
    405: "Method Not Allowed", 409: "Conflict", 410: "Gone", 411: "Length Required",
    413: "Content Too Large", 422: "Unprocessable Content", 500: "Internal Server Error",
    503: "Service Unavailable",
  ]

  /// For whoever runs the server. Clients aren't told what may name the database.
  private static func log(_ error: any Error) {
    FileHandle.standardError.write(Data("error: \((error as NSError).localizedDescription)\n".utf8))
  }
}
