import Foundation
import MomKit
import SharedModel
import Testing

@testable import SharingClient

/// What becomes of objects that two apps change.
@Suite(.enabled(if: TestDatabase.isThere)) struct ConflictTests {
  let server: ServerProcess
  let first: TestClient
  let second: TestClient

  init() throws {
    server = try ServerProcess(TestDatabase.url())
    (first, second) = (try TestClient(), try TestClient())
  }

  /// Inserts a note at a site, with a tag, that both apps know.
  private func sharedNote() async throws -> UUID {
    let id = try first.edit { context in
      let note = Note(context: context)
      note.title = "note"
      note.site = Site(context: context)
      note.site?.name = "site"
      let tag = Tag(context: context)
      tag.name = "tag"
      note.addToTags(tag)
      return note.identifier
    }
    try await first.sync(server.url)
    try await second.sync(server.url)
    return try #require(id)
  }

  private func edit(_ client: TestClient, _ id: UUID, _ body: (Note) throws -> Void) throws {
    try client.edit { context in
      let request = Note.fetchRequest()
      request.predicate = NSPredicate(format: "identifier == %@", id as CVarArg)
      try body(try #require(try context.fetch(request).first))
    }
  }

  /// Synchronizes until both have everything, and returns what that is.
  private func settle() async throws -> [UUID: ObjectState] {
    try await first.sync(server.url)
    try await second.sync(server.url)
    try await first.sync(server.url)
    let objects = try first.objects()
    #expect(try second.objects() == objects)
    #expect(try TestClient.objects(in: server.database) == objects)
    return objects
  }

  @Test func objectsTravelWithRelationshipsAndBytes() async throws {
    let id = try await sharedNote()
    try edit(second, id) { $0.photograph = Data([0, 1, 2]) }
    let objects = try await settle()
    #expect(objects.count == 3)
    #expect(objects[id]?.values["photograph"] == .string("AAEC"))
    #expect(objects[id]?.values["site"] != .null)
    #expect(objects[id]?.values["tags"] != .list([]))
    #expect(objects[id]?.version == 2)
    // Nothing changes from here on.
    let report = try await first.sync(server.url)
    #expect(report.pushed == 0 && report.pulled == 0 && report.conflicts == 0)
  }

  @Test func eachPropertyHasTheValueThatWasPushedLast() async throws {
    let id = try await sharedNote()
    try edit(first, id) { ($0.title, $0.urgency) = ("of the first", 1) }
    try edit(second, id) { ($0.title, $0.isDone, $0.site) = ("of the second", true, nil) }
    try await first.sync(server.url)
    let report = try await second.sync(server.url)
    #expect(report.conflicts == 1)
    let note = try #require(try await settle()[id])
    #expect(note.values["title"] == .string("of the second"))
    #expect(note.values["urgency"] == .integer(1))
    #expect(note.values["isDone"] == .bool(true))
    #expect(note.values["site"] == .null)
    #expect(note.version == 3)
  }

  @Test(arguments: [true, false]) func deletionsWin(deletesFirst: Bool) async throws {
    let id = try await sharedNote()
    try first.edit { context in
      for note in try context.fetch(Note.fetchRequest()) { context.delete(note) }
    }
    try edit(second, id) { $0.title = "changed" }
    try await (deletesFirst ? first : second).sync(server.url)
    try await (deletesFirst ? second : first).sync(server.url)
    #expect(try await settle()[id] == nil)
  }

  @Test func referencesToDeletedObjectsAreCleared() async throws {
    let id = try await sharedNote()
    try first.edit { context in
      for site in try context.fetch(Site.fetchRequest()) { context.delete(site) }
      for tag in try context.fetch(Tag.fetchRequest()) { context.delete(tag) }
    }
    let other = try second.edit { context in
      let note = Note(context: context)
      note.site = try context.fetch(Site.fetchRequest()).first
      note.tags = NSSet(set: Set(try context.fetch(Tag.fetchRequest())))
      return note.identifier
    }
    try await first.sync(server.url)
    let objects = try await settle()
    #expect(Set(objects.keys) == [id, try #require(other)])
    #expect(
      objects.values.allSatisfy { $0.values["site"] == .null && $0.values["tags"] == .list([]) })
  }

  @Test func aPushWhoseAnswerIsLostIsNeitherDoubledNorRepeated() async throws {
    let id = try await sharedNote()
    let proxy = try #require(CuttingProxy(to: server.url) { .cutAfter })
    let inserted = try first.edit { context in
      let note = Note(context: context)
      note.title = "new"
      return note.identifier
    }
    try edit(first, id) { $0.title = "of the first" }
    await #expect(throws: (any Error).self) { try await first.sync(proxy.url) }
    #expect(try first.progress().pending != nil)
    // It was saved: the second gets it, deletes one note and changes the other.
    try await second.sync(server.url)
    try edit(second, id) { $0.title = "of the second" }
    try second.edit { context in
      for note in try context.fetch(Note.fetchRequest()) where note.identifier == inserted {
        context.delete(note)
      }
    }
    try await second.sync(server.url)
    // Meanwhile, the first goes on with both.
    try first.edit { context in
      for note in try context.fetch(Note.fetchRequest()) { note.urgency = 7 }
    }
    let objects = try await settle()
    #expect(objects[try #require(inserted)] == nil)
    #expect(objects[id]?.values["title"] == .string("of the second"))
    #expect(objects[id]?.values["urgency"] == .integer(7))
    #expect(try first.progress().pending == nil)
  }

  /// Of several requests, the first has been saved, and the others were never sent.
  @Test func aPartOfAPushWhoseAnswerIsLostBringsNothingBack() async throws {
    try first.edit { context in
      for number in 0..<700 { Note(context: context).title = "\(number)" }
    }
    let proxy = try #require(CuttingProxy(to: server.url) { .cutAfter })
    await #expect(throws: (any Error).self) { try await first.sync(proxy.url) }
    try await second.sync(server.url)
    let known = try second.objects()
    #expect(known.count == 500)
    try second.edit { context in
      for note in try context.fetch(Note.fetchRequest()) { context.delete(note) }
    }
    try await second.sync(server.url)
    let objects = try await settle()
    #expect(objects.count == 200)
    #expect(Set(objects.keys).isDisjoint(with: known.keys))
    #expect(try first.progress().pending == nil)
  }

  @Test func manyObjectsTravelInSeveralRequests() async throws {
    try first.edit { context in
      let tag = Tag(context: context)
      for number in 0..<700 {
        let note = Note(context: context)
        note.title = "\(number)"
        if number % 3 == 0 { note.addToTags(tag) }
      }
    }
    let report = try await first.sync(server.url)
    #expect(report.pushed == 701)
    #expect(try await settle().count == 701)
  }

  /// The app may insert an object, and let another refer to it, while that one's values are read to be pushed.
  @Test func anObjectThatWasNeverPushedIsNotOneThatWasDeleted() async throws {
    let known = try await sharedNote()
    let new = try first.edit { Tag(context: $0).identifier }
    let conflicts = [
      ErrorAnswer.Conflict(entity: "Tag", id: try #require(new), object: nil),
      ErrorAnswer.Conflict(entity: "Note", id: known, object: nil),
    ]
    let context = try NotesStore.container(at: first.url).newBackgroundContext()
    context.transactionAuthor = NotesStore.syncAuthor
    _ = try context.performAndWait { try SyncRun.resolve(conflicts, context) }
    let objects = try first.objects()
    #expect(objects[try #require(new)] != nil)
    #expect(objects[known] == nil)
  }

  @Test func whoMissesHistoryStartsOver() async throws {
    let id = try await sharedNote()
    // While the second is away, objects come and go, and the history of it too. It has something of its own to tell.
    let gone = try first.edit { context in
      for number in 0..<600 { Note(context: context).title = "\(number)" }
      let site = try #require(try context.fetch(Site.fetchRequest()).first)
      context.delete(site)
      return site.identifier
    }
    try edit(first, id) { $0.title = "changed" }
    try await first.sync(server.url)
    let mine = try second.edit { context in
      let note = Note(context: context)
      note.title = "of the second"
      return note.identifier
    }
    try edit(second, id) { $0.urgency = 5 }
    try TestClient.deleteHistory(in: server.database)

    let objects = try await settle()
    #expect(objects.count == 603)
    #expect(objects[try #require(gone)] == nil)
    #expect(objects[try #require(mine)]?.version == 1)
    #expect(objects[id]?.values["title"] == .string("changed"))
    #expect(objects[id]?.values["urgency"] == .integer(5))
    // A new app gets everything too.
    let third = try TestClient()
    try await third.sync(server.url)
    #expect(try third.objects() == objects)
    let report = try await third.sync(server.url)
    #expect(report.pushed == 0 && report.pulled == 0)
  }

  @Test func theCommandLineProgramSynchronizes() async throws {
    func run(_ arguments: String...) throws -> String {
      let process = Process()
      process.executableURL = TestDatabase.program("sharing-client")
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["SHARING_SECRET": ServerProcess.secret], uniquingKeysWith: { $1 })
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      return text
    }
    let address = server.url.absoluteString
    let id = try run("add", first.url.path, "Sundew", "--site", "Bog", "--tag", "peat").prefix(8)
    #expect(
      try run("sync", first.url.path, "--server", address) == "pushed 3, pulled 0, conflicts 0\n")
    #expect(
      try run("sync", second.url.path, "--server", address) == "pushed 0, pulled 3, conflicts 0\n")
    _ = try run("change", second.url.path, String(id), "--done")
    #expect(try run("list", second.url.path) == "\(id) x Sundew at Bog (peat)\n")
    _ = try run("delete", second.url.path, String(id))
    #expect(try await settle().count == 2)
  }
}
