import Foundation
import MomKit
import SharedModel
import Testing

/// Fetching, saving and changes, asked of a server.
@Suite(.enabled(if: TestDatabase.isThere)) struct ServiceTests {
  let server: ServerProcess

  init() throws { server = try ServerProcess(TestDatabase.url()) }

  private func state(
    _ entity: String, _ id: UUID = UUID(), version: Int64 = 0, _ values: [String: WireValue] = [:]
  ) -> ObjectState {
    ObjectState(entity: entity, id: id, version: version, values: values)
  }

  private func note(_ title: String, _ values: [String: WireValue] = [:]) -> ObjectState {
    state(
      "Note", UUID(),
      ["title": .string(title), "created": .integer(1_764_078_000_000_000)].merging(
        values, uniquingKeysWith: { $1 }))
  }

  private func save(
    inserted: [ObjectState] = [], updated: [ObjectState] = [], deleted: [ObjectReference] = []
  ) async throws -> ServerProcess.Answer {
    try await server.save(
      SaveQuestion(
        client: "tests", push: UUID(), inserted: inserted, updated: updated, deleted: deleted))
  }

  private func titles(_ question: FetchQuestion) async throws -> [WireValue?] {
    let answer = try await server.fetch(question)
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    return try answer.decoded(FetchAnswer.self).objects.map { $0.values["title"] }
  }

  @Test func objectsAreSavedAndFetchedByPredicate() async throws {
    let (site, tag) = (UUID(), UUID())
    let bound = note(
      "Sundew",
      [
        "site": .string(site.uuidString), "tags": .list([.string(tag.uuidString)]),
        "photograph": .string("AAEC"), "created": .integer(1_764_078_000_123_457),
      ])
    let saved = try await save(
      inserted: [
        bound, note("Heather", ["urgency": .integer(3)]),
        state("Site", site, ["name": .string("Bog"), "latitude": .integer(52)]),
        state("Tag", tag, ["name": .string("peat")]),
      ])
    #expect(saved.status == 200)
    let first = try #require(try saved.decoded(SaveAnswer.self).saved.first)
    #expect(first.id == bound.id && first.version == 1)
    #expect(first.values["created"] == .integer(1_764_078_000_123_457))
    #expect(first.values["site"] == .string(site.uuidString))
    #expect(first.values["tags"] == .list([.string(tag.uuidString)]))
    #expect(first.values["photograph"] == .string("AAEC"))

    func found(_ predicate: String, _ arguments: WireValue...) async throws -> [WireValue?] {
      try await titles(
        FetchQuestion(
          entity: "Note", predicate: predicate, arguments: arguments, sort: [.init(key: "title")]))
    }
    #expect(try await found("TRUEPREDICATE") == [.string("Heather"), .string("Sundew")])
    #expect(try await found("title BEGINSWITH[c] %@", .string("sun")) == [.string("Sundew")])
    #expect(try await found("ANY tags.name == %@", .string("peat")) == [.string("Sundew")])
    #expect(try await found("site.latitude > 50.5 AND site != nil") == [.string("Sundew")])
    #expect(try await found("urgency BETWEEN {2, 4}") == [.string("Heather")])
    #expect(
      try await found("identifier IN %@", .list([.string(bound.id.uuidString)]))
        == [.string("Sundew")])
    #expect(
      try await found("created >= %@", .integer(1_764_078_000_100_000)) == [.string("Sundew")])
    // Arguments are data, whatever they look like.
    #expect(try await found("title == %@", .string("x\" OR TRUEPREDICATE OR title == \"")).isEmpty)
    #expect(try await found("title == %@", .string("'; DROP SCHEMA public CASCADE; --")).isEmpty)

    let limited = try await server.fetch(
      FetchQuestion(entity: "Note", sort: [.init(key: "title", ascending: false)], limit: 1))
    let answer = try limited.decoded(FetchAnswer.self)
    #expect(answer.more && answer.objects.map(\.id) == [bound.id])
  }

  @Test func conflictsAreAnsweredWithTheServersValues() async throws {
    let object = note("first")
    #expect(try await save(inserted: [object]).status == 200)
    func update(_ title: String, version: Int64) async throws -> ServerProcess.Answer {
      try await save(
        updated: [state("Note", object.id, version: version, ["title": .string(title)])])
    }
    #expect(try await update("second", version: 1).status == 200)
    let refused = try await update("third", version: 1)
    #expect(refused.status == 409)
    let error = try refused.decoded(ErrorAnswer.self)
    #expect(error.code == NSManagedObjectMergeError)
    let conflict = try #require(error.conflicts?.first)
    #expect(conflict.id == object.id && conflict.object?.version == 2)
    #expect(conflict.object?.values["title"] == .string("second"))
    // What was saved already isn't a conflict, nor is it saved again.
    let repeated = try await update("second", version: 1)
    #expect(repeated.status == 200)
    #expect(try repeated.decoded(SaveAnswer.self).saved.first?.version == 2)
    #expect(try await save(inserted: [note("other"), object]).status == 409)

    let stale = ObjectReference(entity: "Note", id: object.id, version: 1)
    #expect(try await save(deleted: [stale]).status == 409)
    let current = ObjectReference(entity: "Note", id: object.id, version: 2)
    #expect(try await save(deleted: [current]).status == 200)
    #expect(try await save(deleted: [current]).status == 200)
    let gone = try await update("fourth", version: 2)
    #expect(gone.status == 409)
    let lost = try gone.decoded(ErrorAnswer.self).conflicts
    #expect(lost?.count == 1 && lost?.first?.object == nil)
    // All or nothing: the other note of a refused save doesn't exist.
    #expect(try await titles(FetchQuestion(entity: "Note")) == [])
  }

  @Test func invalidObjectsAreRefusedWithCoreDatasCodes() async throws {
    func code(_ object: ObjectState) async throws -> [Int] {
      let answer = try await save(inserted: [object])
      return [answer.status, try answer.decoded(ErrorAnswer.self).code]
    }
    #expect(try await code(note("")) == [422, NSValidationStringTooShortError])
    #expect(
      try await code(note("n", ["urgency": .integer(10)]))
        == [422, NSValidationNumberTooLargeError])
    #expect(
      try await code(note("n", ["created": .null]))
        == [422, NSValidationMissingMandatoryPropertyError])
    #expect(
      try await code(note("", ["urgency": .integer(-1)])) == [422, NSValidationMultipleErrorsError])
  }

  @Test func changesAreToldSinceAToken() async throws {
    let (site, object) = (UUID(), UUID())
    let start = try await server.changes()
    #expect(start.changes.isEmpty && !start.more)
    #expect(
      try await save(inserted: [
        state("Site", site, ["name": .string("Bog")]),
        state(
          "Note", object,
          ["created": .integer(0), "title": .string("n"), "site": .string(site.uuidString)]),
      ]).status == 200)
    let inserted = try await server.changes(since: start.token)
    #expect(Set(inserted.changes.map(\.id)) == [site, object])
    #expect(inserted.changes.allSatisfy { $0.kind == .inserted && $0.author == "tests" })
    #expect(inserted.pushes.count == 1)
    #expect(try await server.changes(since: inserted.token).changes.isEmpty)

    let reference = ObjectReference(entity: "Site", id: site, version: 1)
    #expect(try await save(deleted: [reference]).status == 200)
    let deleted = try await server.changes(since: inserted.token).changes
    #expect(deleted.map(\.kind.rawValue).sorted() == ["deleted", "updated"])
    let note = try #require(deleted.first { $0.kind == .updated }?.object)
    // The client that deleted the site may not have known this note.
    #expect(note.id == object && note.version == 2 && note.values["site"] == .null)

    let store = inserted.token.prefix(36)
    for (token, status) in [
      ("\(store).99", 410), ("\(UUID()).1", 410), ("\(store).-1", 400), ("x", 400), ("", 400),
      ("\(store).99999999999999999999", 400),
    ] {
      #expect(try await server.send("/changes?since=\(token)").status == status, "\(token)")
    }
  }

  @Test func historyThatWasDeletedIsMissed() async throws {
    let first = try await server.changes().token
    for title in ["a", "b", "c"] { #expect(try await save(inserted: [note(title)]).status == 200) }
    let last = try await server.changes().token
    try TestClient.deleteHistory(in: server.database)
    // Neither a new client nor an old one is told of a part only.
    for path in ["/changes", "/changes?since=\(first)"] {
      let answer = try await server.send(path)
      #expect(answer.status == 410)
      #expect(try answer.decoded(ErrorAnswer.self).code == NSPersistentHistoryTokenExpiredError)
    }
    #expect(try await server.changes(since: last).changes.isEmpty)
  }

  @Test func twoServersShareOneDatabase() async throws {
    let other = try ServerProcess(server.database)
    let object = note("of the first")
    #expect(try await save(inserted: [object]).status == 200)
    let changed = try await other.save(
      SaveQuestion(
        client: "other", push: UUID(),
        updated: [state("Note", object.id, version: 1, ["title": .string("of the other")])]))
    #expect(changed.status == 200)
    #expect(try await titles(FetchQuestion(entity: "Note")) == [.string("of the other")])
    let token = try await other.changes().token
    #expect(try await server.changes().token == token)
    // Of many that save at the same moment, each is told what the others did.
    let ids = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<16 {
        let server = number % 2 == 0 ? server.url : other.url
        group.addTask {
          try await Saving(url: server).addUntilSaved(to: object.id, "\(number)")
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ids.count == 16)
    let text = try await server.fetch(FetchQuestion(entity: "Note")).decoded(FetchAnswer.self)
      .objects.first?.values["text"]
    guard case .string(let words)? = text else { throw ErrorAnswer(code: 0, message: "no text") }
    #expect(Set(words.split(separator: " ")) == Set((0..<16).map { Substring("\($0)") }))
  }
}
