import Foundation
import SharedModel
import Testing

/// Whatever arrives, the server answers it or closes the connection, and goes on.
@Suite(.enabled(if: TestDatabase.isThere)) struct HostileRequestTests {
  let server: ServerProcess

  init() throws { server = try ServerProcess(TestDatabase.url()) }

  private func status(_ path: String, _ body: String) async throws -> Int {
    try await server.send(path, body: Data(body.utf8)).status
  }

  @Test func onlyWhoKnowsTheSecretIsAnswered() async throws {
    for secret in [
      nil, "", "a", ServerProcess.secret + "x", String(ServerProcess.secret.dropLast()),
    ] {
      #expect(try await server.send("/changes", secret: secret).status == 401)
      #expect(try await server.send("/save", body: Data("{}".utf8), secret: secret).status == 401)
    }
    #expect(try await server.send("/changes").status == 200)
    #expect(try await server.send("/save").status == 405)
    #expect(try await server.send("/changes", body: Data()).status == 405)
    #expect(try await server.send("/../etc/passwd").status == 404)
    // It isn't reachable from elsewhere.
    #expect(server.url.host == "127.0.0.1")
  }

  private static let predicates = [
    #"title MATCHES "(a+)+$""#, #"title LIKE "*a*a*a*""#,
    "SUBQUERY(tags, $t, TRUEPREDICATE).@count > 0",
    "tags.@count > 1", "title == text", "1 == 1", "SELF == 1", "title == $x", "title == %@",
    "FUNCTION(title, \"length\") == 1", "uppercase:(title) == \"A\"", "now() > created",
    "revisions == 1",
    "site.notes.site.notes == nil", "tags.name == \"a\"", "ANY title == \"a\"", "site == 1",
    "title == 1", "created == \"a\"", "identifier == \"a\"", "urgency == 1.5",
    "urgency == 99999999999",
    "urgency BETWEEN {1}", "urgency IN 1", "photograph < \"AAEC\"",
    "photograph BETWEEN {\"\", \"AAEC\"}", "title == {\"a\"}", "isDone < 1", "urgency CONTAINS 1",
    "title ==", "", "(", "title == \"\u{0}\"", "CAST(1, \"NSDate\") == created", "%K == 1",
    "tags.name.name == 1", "title.length == 1", "@avg.urgency == 1",
    "ANY tags == nil AND 2 * urgency == 1",
    "FETCH(1, 2, NO) == title", "TERNARY(TRUEPREDICATE, title, text) == \"a\"",
    "urgency == {1, 2}[0]",
    String(repeating: "NOT ", count: 11) + "title == \"a\"",
    String(repeating: "(", count: 2_000) + "title == \"a\"" + String(repeating: ")", count: 2_000),
    String(repeating: "title == \"a\" OR ", count: 51) + "title == \"a\"",
    String(repeating: "title == \"a\" OR ", count: 1_000) + "title == \"a\"",
  ]

  @Test func predicatesOfOtherKindsAreRefused() async throws {
    for predicate in Self.predicates {
      let answer = try await server.fetch(FetchQuestion(entity: "Note", predicate: predicate))
      let body = String(decoding: answer.body, as: UTF8.self)
      #expect(answer.status == 400, "\(predicate.prefix(200)): \(body)")
    }
  }

  @Test func anyPredicateIsAnsweredOrRefused() async throws {
    var random = SeededRandom(seed: 7)
    let (site, tag) = (UUID(), UUID())
    let saved = try await server.save(
      SaveQuestion(
        client: "c", push: UUID(),
        inserted: [
          ObjectState(entity: "Site", id: site, version: 0, values: ["name": .string("a")]),
          ObjectState(entity: "Tag", id: tag, version: 0, values: ["name": .string("b")]),
          ObjectState(
            entity: "Note", id: UUID(), version: 0,
            values: [
              "created": .integer(0), "photograph": .string("AAEC"), "text": .string("ä"),
              "site": .string(site.uuidString), "tags": .list([.string(tag.uuidString)]),
            ]),
          ObjectState(entity: "Note", id: UUID(), version: 0, values: ["created": .integer(9)]),
        ]))
    #expect(saved.status == 200)
    func one(_ list: [String]) -> String { list.randomElement(using: &random) ?? "" }
    let keys = [
      "title", "text", "urgency", "isDone", "created", "photograph", "identifier", "revision",
      "site", "site.name", "site.latitude", "tags", "tags.name", "tags.identifier", "site.notes",
      "site.notes.urgency", "tags.notes.title", "site.notes.tags", "SELF", "none",
    ]
    let operators = [
      "==", "!=", "<", "<=", ">", ">=", "==[c]", "<[cd]", "IN", "BETWEEN", "CONTAINS",
      "BEGINSWITH[cd]", "ENDSWITH", "LIKE", "MATCHES", "CONTAINS[n]",
    ]
    let constants = [
      "nil", "1", "-1", "1.5", "1e300", "\"a\"", "\"\"", "\"AAEC\"", "\"\u{1F600}\"", "YES", "%@",
      "\"\(site)\"", "{}", "{1, 2}", "{nil, nil}", "{\"a\", \"b\"}", "{\"\(tag)\"}", "{{1}}",
      "title",
    ]
    let sensible = [
      "title", "text", "site.name", "ANY tags.name", "ALL tags.name", "urgency",
      "ANY site.notes.urgency", "ANY tags.notes.title", "site.latitude", "identifier", "ANY tags",
    ]
    var statuses: [Int: Int] = [:]
    // What the server compares and what the context does: of a UUID, too.
    let mixed = try await server.fetch(
      FetchQuestion(
        entity: "Note", predicate: "identifier > %@ OR text CONTAINS[c] \"Ä\"",
        arguments: [.string("00000000-0000-0000-0000-000000000000")]))
    #expect(mixed.status == 200, "\(String(decoding: mixed.body.prefix(300), as: UTF8.self))")
    for _ in 0..<500 {
      let comparisons = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        let isSensible = Int.random(in: 0..<4, using: &random) > 0
        return one(["", "", "", "NOT "])
          + (isSensible ? one(sensible) : "\(one(["", "ANY "]))\(one(keys))")
          + " \(one(operators)) \(one(constants))"
      }
      let predicate = comparisons.joined(separator: one([" AND ", " OR "]))
      let answer = try await server.fetch(
        FetchQuestion(
          entity: "Note", predicate: predicate,
          arguments: predicate.split(separator: "%@", omittingEmptySubsequences: false).dropFirst()
            .map { _ in [.null, .integer(5), .string("b"), .list([])].randomElement() ?? .null },
          sort: [.init(key: one(["title", "created", "isDone", "photograph", "identifier"]))]))
      statuses[answer.status, default: 0] += 1
      let body = String(decoding: answer.body.prefix(300), as: UTF8.self)
      #expect([200, 400].contains(answer.status), "\(predicate): \(body)")
    }
    #expect(statuses[200] ?? 0 > 20 && statuses[400] ?? 0 > 20, "\(statuses)")
  }

  @Test func malformedBodiesAreRefused() async throws {
    let id = UUID()
    func insert(_ values: String, entity: String = "Note") -> String {
      """
      {"client": "c", "push": "\(UUID())", "inserted": [
        {"entity": "\(entity)", "id": "\(id)", "version": 0, "values": \(values)}]}
      """
    }
    let deep = String(repeating: "[", count: 100_000)
    let bodies = [
      "", "{", "[]", "null", "{}", "\"", "\u{0}", deep, #"{"entity": \#(deep)"#,
      insert(#"{"title": [["a"]]}"#), insert(#"{"title": {"a": 1}}"#), insert(#"{"title": 1}"#),
      insert(#"{"title": "a\u0000"}"#), insert(#"{"urgency": 1e999}"#),
      insert(#"{"urgency": 1.5}"#),
      insert(#"{"urgency": 32768}"#), insert(#"{"urgency": 99999999999999999999}"#),
      insert(#"{"created": 1e300}"#), insert(#"{"created": -1e18}"#), insert(#"{"isDone": 1}"#),
      insert(#"{"photograph": "="}"#), insert(#"{"site": []}"#), insert(#"{"site": "a"}"#),
      insert(#"{"tags": null}"#), insert(#"{"tags": [1]}"#), insert(#"{"revision": 9}"#),
      insert(#"{"identifier": "\#(UUID())"}"#), insert(#"{"none": 1}"#), insert("[]"),
      insert("{}", entity: "_momkit"), insert("{}", entity: ""),
      insert(#"{"notes": []}"#, entity: "Tag"),
      #"{"client": "", "push": "\#(UUID())"}"#, #"{"client": "a\u0000b", "push": "\#(UUID())"}"#,
      #"{"client": "c", "push": "1"}"#, #"{"client": "c"}"#,
      """
      {"client": "c", "push": "\(UUID())", "deleted": [
        {"entity": "Note", "id": "\(id)", "version": 1}, {"entity": "Note", "id": "\(id)", "version": 1}]}
      """,
      #"{"entity": "Note", "limit": 0}"#, #"{"entity": "Note", "limit": -9223372036854775808}"#,
      #"{"entity": "Note", "limit": 1e400}"#, #"{"entity": "Note", "sort": [{"key": "x"}]}"#,
      #"{"entity": "Note", "sort": [{"key": "site"}]}"#, #"{"entity": "Note", "arguments": [1]}"#,
    ]
    for body in bodies {
      for path in ["/save", "/fetch"] {
        #expect(try await status(path, body) == 400, "\(path) \(body.prefix(200))")
      }
    }
    let many = (0..<1_001).map { _ in ObjectReference(entity: "Tag", id: UUID(), version: 1) }
    #expect(
      try await server.save(SaveQuestion(client: "c", push: UUID(), deleted: many)).status == 413)
    #expect(try await status("/save", String(repeating: " ", count: (4 << 20) + 1)) == 413)
    #expect(try await status("/save", insert(#"{"created": 0, "title": "a"}"#)) == 200)
    #expect(server.isRunning)
  }

  @Test func randomBytesEndNoServer() async throws {
    var random = SeededRandom(seed: 20)
    let port = try #require(server.url.port)
    let secret = "Authorization: Bearer \(ServerProcess.secret)\r\n"
    let valid = """
      {"client":"c","push":"\(UUID())","inserted":[{"entity":"Note","id":"\(UUID())","version":0,
      "values":{"title":"a","created":15,"tags":[],"site":null,"isDone":true}}],"deleted":[]}
      """
    let question = #"{"entity":"Note","predicate":"title == %@ AND urgency > 1","arguments":["a"]}"#
    var statuses: [String: Int] = [:]
    for number in 0..<300 {
      let isQuestion = Bool.random(using: &random)
      var body = Array((isQuestion ? question : valid).utf8)
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let place = Int.random(in: 0..<body.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: body[place] = UInt8.random(in: 0...255, using: &random)
        case 1: body.removeSubrange(place..<min(place + 3, body.count))
        default: body.insert(contentsOf: body[place...].prefix(9), at: place)
        }
      }
      let path = isQuestion ? "/fetch" : "/save"
      var head = "POST \(path) HTTP/1.1\r\nHost: a\r\n\(secret)Connection: close\r\n"
      switch Int.random(in: 0..<8, using: &random) {
      case 0: head += "Content-Length: \(Int.random(in: 0...Int.max, using: &random))\r\n"
      case 1: head += "Content-Length: -1\r\n"
      case 2: head += "Transfer-Encoding: chunked\r\n"
      case 3: head += "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"
      default: head += "Content-Length: \(body.count)\r\n"
      }
      var bytes = Array((head + "\r\n").utf8) + body
      if number % 3 == 0 {
        for _ in 0..<4 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] =
            UInt8.random(in: 0...255, using: &random)
        }
      }
      if number % 10 == 0 {
        bytes = (0..<500).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      let connection = try #require(RawConnection(port: port))
      connection.send(bytes)
      connection.finish()
      let answer = String(decoding: connection.receiveAll().prefix(12), as: UTF8.self)
      statuses[String(answer.suffix(3)), default: 0] += 1
      connection.end()
    }
    // Damage of every depth: some requests are as good as before, some can't be read, some aren't even HTTP.
    for status in ["200", "400", ""] { #expect(statuses[status] != nil, "\(statuses)") }
    #expect(statuses["500"] == nil && statuses["503"] == nil, "\(statuses)")
    #expect(server.isRunning)
    #expect(try await server.send("/changes").status == 200)
  }
}
