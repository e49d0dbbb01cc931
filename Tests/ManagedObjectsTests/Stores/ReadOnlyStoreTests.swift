import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Stores that are only read here, and written by others meanwhile.
@Suite(.enabled(if: ForeignWriter.isAvailable, "no python3 with SQLite"))
struct ReadOnlyStoreTests {
  static let rowCount = 400
  static let model = NSManagedObjectModel(of: [entity("Note", attributes())])

  static func attributes() -> [NSAttributeDescription] {
    [attribute("text", .stringAttributeType), attribute("number", .integer64AttributeType)]
  }

  static func open(
    _ url: URL, isReadOnly: Bool = true, options: [AnyHashable: Any] = [:]
  ) throws -> NSManagedObjectContext {
    var options = options
    if isReadOnly { options[NSReadOnlyPersistentStoreOption] = true }
    return TestStore.context(
      try TestStore.coordinator(model, at: url, type: NSSQLiteStoreType, options: options))
  }

  /// Long texts, so that the rows take many pages.
  static func text(_ word: String) -> String { String(repeating: word, count: 400) }

  /// Creates a store whose notes all have one text.
  static func fill(_ url: URL, _ word: String = "a", mode: String? = nil) throws {
    let context = try open(url, isReadOnly: false)
    for number in 0..<rowCount {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note["text"] = text(word)
      note["number"] = number
    }
    try context.save()
    try TestStore.close(context)
    if let mode { try ForeignWriter().write("PRAGMA journal_mode=\(mode)", to: url) }
  }

  /// The SQL that gives all notes another text, and adds one.
  static func change(to word: String) -> String {
    "BEGIN;UPDATE ZNOTE SET ZTEXT = '\(text(word))', Z_OPT = Z_OPT + 1;"
      + "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZTEXT) "
      + "SELECT max(Z_PK) + 1, 1, 1, 0, '\(text(word))' FROM ZNOTE;COMMIT"
  }

  private static var request: NSFetchRequest<NSManagedObject> {
    NSFetchRequest<NSManagedObject>(entityName: "Note")
  }

  /// The first letters of the notes' texts, once each, and the number of notes.
  static func read(_ context: NSManagedObjectContext) throws -> String {
    context.refreshAllObjects()
    let found = try context.fetch(request)
    let words = Set(found.map { ($0["text"] as? String)?.prefix(1) ?? "?" })
    #expect(try context.count(for: request) == found.count)
    return "\(words.sorted().joined()) \(found.count - rowCount)"
  }

  static func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test func anotherCoordinatorsSavesAreSeen() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let context = try Self.open(url)
    #expect(try Self.read(context) == "a 0")
    let writer = try Self.open(url, isReadOnly: false)
    for (step, word) in ["b", "c", "d"].enumerated() {
      for note in try writer.fetch(Self.request) { note["text"] = Self.text(word) }
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: writer)
      note["text"] = Self.text(word)
      try writer.save()
      #expect(try Self.read(context) == "\(word) \(step + 1)")
    }
    try TestStore.close(writer)
    #expect(try Self.read(context) == "d 3")
    let again = try Self.open(url, isReadOnly: false)
    again.delete(try #require(try again.fetch(Self.request).first))
    try again.save()
    #expect(try Self.read(context) == "d 2")
  }

  /// Each writer merges its log, since reading takes no lock, and nothing is left beside the file.
  @Test func writersThatCameAndWentAreNoticed() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let context = try Self.open(url)
    #expect(try Self.read(context) == "a 0")
    let writer = try ForeignWriter()
    for (step, word) in ["b", "c", "d", "e", "f"].enumerated() {
      try writer.write(Self.change(to: word), to: url)
      #expect(try Self.read(context) == "\(word) \(step + 1)")
      #expect(try Self.names(folder) == ["Notes.sqlite"])
    }
    // A writer in this process.
    let here = try Self.open(url, isReadOnly: false)
    here.delete(try #require(try here.fetch(Self.request).first))
    try here.save()
    try TestStore.close(here)
    #expect(try Self.names(folder) == ["Notes.sqlite"])
    #expect(try Self.read(context) == "f 4")
    try TestStore.close(context)
    #expect(try Self.names(folder) == ["Notes.sqlite"])
  }

  @Test func aFaultTakesThePresentRow() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let context = try Self.open(url)
    let note = try #require(try context.fetch(Self.request).first)
    #expect(note["text"] as? String == Self.text("a"))
    try ForeignWriter().write(Self.change(to: "b"), to: url)
    #expect(note["text"] as? String == Self.text("a"))
    context.refresh(note, mergeChanges: false)
    #expect(note["text"] as? String == Self.text("b"))
  }

  @Test func aProcessThatStaysOpenIsSeen() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let context = try Self.open(url)
    #expect(try Self.read(context) == "a 0")
    let writer = try ForeignWriter()
    try writer.open(url)
    try writer.execute(Self.change(to: "b"))
    #expect(try Self.read(context) == "b 1")
    try writer.execute(Self.change(to: "c"))
    #expect(try Self.read(context) == "c 2")
    try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try Self.read(context) == "c 2")
    try writer.execute(Self.change(to: "d"))
    #expect(try Self.read(context) == "d 3")
    try writer.close()
    #expect(try Self.read(context) == "d 3")
    try writer.write(Self.change(to: "e"), to: url)
    #expect(try Self.read(context) == "e 4")
  }

  /// A writer that checkpoints while another store reads the log beside it: the latter's locks are kept whatever else this
  /// process opens.
  @Test func severalReadersKeepTheirLocks() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let writer = try ForeignWriter()
    try writer.open(url)
    try writer.execute(Self.change(to: "b"))
    let contexts = try (0..<3).map { _ in try Self.open(url) }
    for (step, word) in ["c", "d", "e"].enumerated() {
      for context in contexts { #expect(try Self.read(context).hasSuffix(" \(step + 1)")) }
      try writer.execute(Self.change(to: word))
      try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      for context in contexts { #expect(try Self.read(context) == "\(word) \(step + 2)") }
    }
  }

  /// The log of a process that crashed is read from a private copy.
  @Test func whatFollowsACrashIsSeen() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let crashing = try ForeignWriter()
    try crashing.open(url)
    try crashing.execute(Self.change(to: "b"))
    crashing.kill()
    let context = try Self.open(url)
    #expect(try StoreReadingPlan(for: url.path) == .copy(companions: ["-wal"]))
    let before = try folder.contents()
    #expect(try Self.read(context) == "b 1")
    #expect(try folder.contents() == before)
    let writer = try ForeignWriter()
    try writer.open(url)
    try writer.execute(Self.change(to: "c"))
    #expect(try Self.read(context) == "c 2")
    writer.kill()
    #expect(try Self.read(context) == "c 2")
    try ForeignWriter().write(Self.change(to: "d"), to: url)
    #expect(try Self.read(context) == "d 3")
  }

  @Test func aFileThatGetsALogIsFollowed() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url, mode: "delete")
    let context = try Self.open(url)
    #expect(try Self.read(context) == "a 0")
    let writer = try ForeignWriter()
    try writer.write(Self.change(to: "b"), to: url)
    #expect(try Self.read(context) == "b 1")
    try writer.write("PRAGMA journal_mode=wal;" + Self.change(to: "c"), to: url)
    #expect(try Self.read(context) == "c 2")
    #expect(try Self.names(folder) == ["Notes.sqlite"])
    try writer.write(Self.change(to: "d") + ";PRAGMA journal_mode=delete", to: url)
    #expect(try Self.read(context) == "d 3")
    #expect(try Self.names(folder) == ["Notes.sqlite"])
  }
}
