import DataModels
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Files that are written during a request, or are replaced.
extension ReadOnlyStoreTests {
  /// A writer changes and merges all rows while they are being read: no row is of another state than the others.
  @Test func rowsOfOneFetchBelongTogether() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let context = try Self.open(url)
    #expect(try Self.read(context) == "a 0")
    let coordinator = try #require(context.persistentStoreCoordinator)
    let engine = try #require(try coordinator.persistentStores[0].requireEngine() as? SQLiteEngine)
    let query = RowQuery(layout: try #require(coordinator.modelLayout["Note"]))
    let writer = try ForeignWriter()
    for (step, word) in ["b", "c", "d"].enumerated() {
      // So that the next connection has read no page before.
      try writer.write(Self.change(to: "x"), to: url)
      let sink = ActingSink { try? writer.write(Self.change(to: word), to: url) }
      #expect(try engine.fetch(query, into: sink))
      #expect(Set(sink.words) == [word])
      #expect(sink.words.count == Self.rowCount + 2 * (step + 1))
      #expect(sink.startCount == 1)
    }
  }

  /// The same with objects, which keep the values of their rows.
  @Test func objectsOfOneFetchBelongTogether() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let model = NSManagedObjectModel(of: [
      TestSupport.entity("Note", class: "ActingNote", Self.attributes())
    ])
    let context = try TestStore.open(url, model, options: [NSReadOnlyPersistentStoreOption: true])
    let writer = try ForeignWriter()
    ActingNote.register()
    ActingNote.action = { try? writer.write(Self.change(to: "b"), to: url) }
    let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
    #expect(ActingNote.action == nil)
    #expect(found.count == Self.rowCount + 1)
    #expect(Set(found.map { $0["text"] as? String }) == [Self.text("b")])
    #expect(Set(found.map(\.objectID)).count == found.count)
  }

  /// A process that opens, writes and closes the file again and again, at any moment of the requests here.
  @Test func fetchesDuringWritesSeeOneStateEach() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let context = try Self.open(url)
    let last = 40
    let isDone = Mutex(false)
    let failures = Mutex<[String]>([])
    let thread = Thread {
      do {
        let writer = try ForeignWriter()
        for step in 0..<last {
          try writer.write(Self.change(to: step.isMultiple(of: 2) ? "b" : "c"), to: url)
        }
      } catch { failures.withLock { $0.append("\(error)") } }
      isDone.withLock { $0 = true }
    }
    thread.start()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    var known = 0
    while !isDone.withLock({ $0 }) {
      context.refreshAllObjects()
      let found = try context.fetch(request)
      let added = found.count - Self.rowCount
      #expect(added >= known)
      known = added
      let word = added == 0 ? "a" : added.isMultiple(of: 2) ? "c" : "b"
      #expect(Set(found.map { ($0["text"] as? String)?.prefix(1) }) == [word[...]])
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try Self.read(context) == "c \(last)")
    #expect(try Self.names(folder).first == "Notes.sqlite")
  }

  @Test func aStoreThatIsReplacedIsRefused() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    let other = folder.file("Others.sqlite")
    try Self.fill(url)
    try Self.fill(other, "o")
    let context = try Self.open(url)
    #expect(try Self.read(context) == "a 0")
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    let (aside, files) = (folder.file("aside"), FileManager.default)
    try files.moveItem(at: url, to: aside)
    #expect(throws: NSError.self) { try context.fetch(request) }
    try files.copyItem(at: other, to: url)
    let error = #expect(throws: NSError.self) { try context.fetch(request) }
    #expect(error?.code == NSPersistentStoreOperationError)
    #expect(throws: NSError.self) { try context.count(for: request) }
    // The store itself is read again.
    try files.removeItem(at: url)
    try files.moveItem(at: aside, to: url)
    #expect(try Self.read(context) == "a 0")
  }

  @Test func aStoreThatIsMigratedIsRefused() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let context = try Self.open(url)
    #expect(try Self.read(context) == "a 0")
    let newer = NSManagedObjectModel(of: [
      entity("Attachment"),
      entity("Note", Self.attributes()),
    ])
    let options = TestStore.migrating.merging(
      [MomKitMigrationSourceModelOption: Self.model]) { $1 }
    try TestStore.close(TestStore.open(url, newer, options: options))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    let error = #expect(throws: NSError.self) { try context.fetch(request) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
  }

  /// Rows of a store whose version isn't checked, with a column that only the model has.
  @Test func whatTheFileLacksStaysCovered() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let wider = NSManagedObjectModel(of: [
      entity(
        "Note", [attribute("text", .stringAttributeType), attribute("later", .stringAttributeType)])
    ])
    let context = try TestStore.open(
      url, wider,
      options: [
        NSReadOnlyPersistentStoreOption: true, NSIgnorePersistentStoreVersioningOption: true,
      ])
    #expect(try Self.read(context) == "a 0")
    try ForeignWriter().write(Self.change(to: "b"), to: url)
    #expect(try Self.read(context) == "b 1")
    let note = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first
    #expect(note?["later"] == nil)
  }

  @Test func writesAreAnnounced() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try Self.fill(url)
    let context = try Self.open(
      url, options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
    #expect(try Self.read(context) == "a 0")
    let count = Mutex(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: context.persistentStoreCoordinator,
      queue: nil
    ) { _ in count.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(observer) }
    try await Task.sleep(for: .milliseconds(500))
    #expect(count.withLock { $0 } == 0)
    try ForeignWriter().write(Self.change(to: "b"), to: url)
    for _ in 0..<100 where count.withLock({ $0 }) == 0 {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(count.withLock { $0 } > 0)
    #expect(try Self.read(context) == "b 1")
  }
}

/// Runs an action after some rows, and keeps the first letters of texts.
private final class ActingSink: RestartingSink {
  private var action: (() -> Void)?
  private(set) var words: [String] = []
  private(set) var startCount = 0
  var rowCount: Int { words.count }

  init(_ action: @escaping () -> Void) { self.action = action }

  func begin(_ store: StoreReference?) {}

  func beginRow(of layout: EntityLayout, key: Int64, version: Int64) -> RowSlot? {
    if words.count == 5 {
      action?()
      action = nil
    }
    return RowSlot()
  }

  func fill(_ slot: consuming RowSlot, with values: [StoredValue]) {
    for case .text(let text) in values { words.append(String(text.prefix(1))) }
  }

  func startOver(at count: Int) {
    words.removeSubrange(count...)
    startCount += 1
  }
}

/// Runs an action once, when some objects have been made.
final class ActingNote: NSManagedObject {
  nonisolated(unsafe) static var action: (() -> Void)?
  nonisolated(unsafe) private static var count = 0

  override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    super.init(entity: entity, insertInto: context)
    Self.count += 1
    guard Self.count == 5 else { return }
    Self.action?()
    Self.action = nil
  }
}
