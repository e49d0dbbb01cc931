import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Emptying, replacing and losing stores, whether or not others have them open.
@Suite struct DestroyingTests {
  private let null = URL(fileURLWithPath: "/dev/null")

  private func fill(_ url: URL, _ titles: String...) throws {
    let coordinator = try Shelf.coordinator(url)
    let context = Shelf.context(coordinator)
    for title in titles { Shelf.book(title, context)["cover"] = Data(count: 300_000) }
    try context.save()
  }

  private func destroy(_ url: URL, _ options: [AnyHashable: Any]? = nil) throws {
    try NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
      .destroyPersistentStore(at: url, type: .sqlite, options: options)
  }

  @Test func theFileStaysWithoutContents() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url, "a")
    #expect(FileManager.default.fileExists(atPath: folder.file(".a_SUPPORT").path))
    for _ in 0..<2 {
      try destroy(url)
      #expect(try folder.contents() == ["a.sqlite": Data()])
    }
    try fill(url, "b")
    #expect(try Shelf.titles(at: url) == ["b"])
    // The companions of a file that is already gone are removed too.
    try destroy(url)
    try FileManager.default.removeItem(at: url)
    try Data([1]).write(to: folder.file("a.sqlite-wal"))
    try destroy(url)
    #expect(try folder.contents() == ["a.sqlite": Data()])
  }

  @Test func whereNoneIsAnEmptyFileIsLeft() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try destroy(url)
    #expect(try folder.contents() == ["a.sqlite": Data()])
    try FileManager.default.removeItem(at: url)
    // A dangling link stays one, and a missing folder isn't created.
    let link = folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    try destroy(link)
    var info = stat()
    #expect(lstat(link.path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK)
    #expect(lstat(url.path, &info) != 0)
    try destroy(folder.file("missing/a.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("missing").path))
    // The file can be used for a store like any other.
    try destroy(url)
    try fill(url, "b")
    #expect(try Shelf.titles(at: url) == ["b"])
  }

  @Test func aDestroyedStoreTakesNoSavesOfOthers() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url, "a")
    for remakes in [false, true] {
      let coordinator = try Shelf.coordinator(url)
      let context = Shelf.context(coordinator)
      let book = Shelf.book("b", context)
      try context.save()
      try destroy(url)
      #expect(FileManager.default.fileExists(atPath: url.path))
      #expect(!FileManager.default.fileExists(atPath: folder.file(".a_SUPPORT").path))
      if remakes { try fill(url, "new") }
      book["title"] = "changed"
      #expect(throws: NSError.self) { try context.save() }
      context.rollback()
      Shelf.book("c", context)
      #expect(throws: NSError.self) { try context.save() }
      try coordinator.remove(coordinator.persistentStores[0])
      #expect(try Shelf.titles(at: url) == (remakes ? ["new"] : []))
    }
  }

  /// The tables of a recreated store are equal, and so is SQLite's schema version.
  @Test func aStoreMadeAnewIsAnotherOne() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let options = [NSSQLitePragmasOption: ["journal_mode": "delete"] as NSDictionary]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
    let context = Shelf.context(coordinator)
    let book = Shelf.book("old", context)
    try context.save()
    try destroy(url)
    try fill(url, "new")
    book["title"] = "old, changed"
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Shelf.titles(at: url) == ["new"])
  }

  @Test func aReplacedStoreTakesNoSavesOfOthers() throws {
    let folder = try TemporaryFolder()
    let (url, source) = (folder.file("a.sqlite"), folder.file("b.sqlite"))
    try fill(url, "a")
    try fill(source, "b")
    let coordinator = try Shelf.coordinator(url)
    let context = Shelf.context(coordinator)
    let book = try #require(try context.fetch(Shelf.request()).first)
    Shelf.book("a2", context)
    try context.save()
    try NSPersistentStoreCoordinator(managedObjectModel: Shelf.model()).replacePersistentStore(
      at: url, withPersistentStoreFrom: source, type: .sqlite)
    book["title"] = "a, changed"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(try Shelf.titles(at: url) == ["b"])
  }

  @Test func aFileThatIsGoneTakesNoSaves() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let coordinator = try Shelf.coordinator(url)
    let context = Shelf.context(coordinator)
    Shelf.book("a", context)
    try context.save()
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: url.path + suffix)
    }
    Shelf.book("b", context)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(context.hasChanges)
    // A new store in its place is unrelated to it.
    try fill(url, "new")
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Shelf.titles(at: url) == ["new"])
  }

  /// Batch requests, and deletions of history, write nothing that would be lost, either.
  @Test func aFileThatIsGoneTakesNoBatches() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let coordinator = try TestStore.coordinator(
      Shelf.model(), at: url, options: [NSPersistentHistoryTrackingKey: true])
    let context = Shelf.context(coordinator)
    Shelf.book("a", context)
    try context.save()
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: url.path + suffix)
    }
    let requests: [NSPersistentStoreRequest] = [
      NSBatchInsertRequest(entityName: "Book", objects: [["title": "b"]]),
      NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book")),
      NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture),
    ]
    for request in requests {
      let error = #expect(throws: NSError.self) { try context.execute(request) }
      #expect(error?.code == NSPersistentStoreSaveError)
    }
  }

  @Test func aLockedStoreIsLeftAlone() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url, "a")
    let writer = try SQLiteConnection(writing: url, creation: .existing)
    try writer.execute("BEGIN IMMEDIATE; UPDATE ZBOOK SET ZTITLE = 'b'")
    let error = #expect(throws: NSError.self) {
      try destroy(url, [NSPersistentStoreTimeoutOption: 0.05])
    }
    #expect(error?.code == NSPersistentStoreTimeoutError)
    try writer.execute("COMMIT")
    #expect(try Shelf.titles(at: url) == ["b"])
    // A mere reader keeps its snapshot.
    try writer.execute("BEGIN")
    #expect(try writer.integer("SELECT count(*) FROM ZBOOK") == 1)
    try destroy(url)
    #expect(try writer.integer("SELECT count(*) FROM ZBOOK") == 1)
    try writer.execute("COMMIT")
    #expect(throws: SQLiteError.self) { try writer.integer("SELECT count(*) FROM ZBOOK") }
  }

  @Test func damagedFilesCanBeEmptied() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try Data(repeating: 65, count: 5000).write(to: url)
    try destroy(url)
    try fill(url, "a")
    let handle = try FileHandle(forWritingTo: url)
    try handle.write(contentsOf: Data(repeating: 0, count: 4096))
    try handle.close()
    try destroy(url)
    try fill(url, "b")
    #expect(try Shelf.titles(at: url) == ["b"])
  }

  // MARK: Places that are no files

  @Test func whatIsNoFileIsNeverReplacedOrRemoved() throws {
    let folder = try TemporaryFolder()
    let (source, pipe, directory) = (
      folder.file("s.sqlite"), folder.file("pipe"), folder.file("folder")
    )
    try fill(source, "s")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let coordinator = try Shelf.coordinator(source)
    let store = coordinator.persistentStores[0]
    for place in [pipe, directory] {
      #expect(throws: NSError.self) { try destroy(place) }
      #expect(throws: NSError.self) { try Shelf.coordinator(place) }
      #expect(throws: NSError.self) {
        try coordinator.replacePersistentStore(
          at: place, withPersistentStoreFrom: source, type: .sqlite)
      }
      #expect(throws: NSError.self) {
        try coordinator.migratePersistentStore(store, to: place, type: .sqlite)
      }
      #expect(throws: NSError.self) {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: place)
      }
      #expect(!coordinator.setURL(place, for: store))
    }
    var info = stat()
    #expect(lstat(pipe.path, &info) == 0 && info.st_mode & S_IFMT == S_IFIFO)
    #expect(lstat(directory.path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR)
    // A link stays a link, and the store it points to is emptied.
    let link = folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: source)
    try destroy(link)
    #expect(lstat(link.path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK)
    #expect(try Shelf.titles(at: source) == [])
  }

  /// A program may have moved the folder of external values to another disk.
  @Test func whatIsNoFileBesideAStoreStays() throws {
    let folder = try TemporaryFolder()
    let (url, elsewhere) = (folder.file("a.sqlite"), folder.file("elsewhere"))
    let support = folder.file(".a_SUPPORT")
    let files = FileManager.default
    func kind(_ url: URL) -> mode_t? {
      var info = stat()
      return lstat(url.path, &info) == 0 ? info.st_mode & S_IFMT : nil
    }
    try fill(url, "a")
    try files.moveItem(at: support, to: elsewhere)
    try files.createSymbolicLink(at: support, withDestinationURL: elsewhere)
    try destroy(url)
    #expect(kind(support) == S_IFLNK)
    #expect(try files.subpathsOfDirectory(atPath: elsewhere.path).count == 2)
    try files.removeItem(at: support)
    #expect(mkfifo(support.path, 0o600) == 0)
    try destroy(url)
    #expect(kind(support) == S_IFIFO)
    // Beside a file that is gone.
    try files.removeItem(at: url)
    let kept = folder.file("kept")
    try Data([1]).write(to: kept)
    try files.createSymbolicLink(at: folder.file("a.sqlite-wal"), withDestinationURL: kept)
    #expect(mkfifo(folder.file("a.sqlite-shm").path, 0o600) == 0)
    try Data([2]).write(to: folder.file("a.sqlite-journal"))
    try destroy(url)
    #expect(kind(folder.file("a.sqlite-wal")) == S_IFLNK)
    #expect(try Data(contentsOf: kept) == Data([1]))
    #expect(kind(folder.file("a.sqlite-shm")) == S_IFIFO)
    #expect(kind(folder.file("a.sqlite-journal")) == nil)
  }

  @Test func aStoreAtTheNullDeviceIsInMemory() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.coordinator(null)
    let context = Shelf.context(coordinator)
    let book = Shelf.book("a", context)
    book["cover"] = Data(repeating: 7, count: 300_000)
    try context.save()
    context.refreshAllObjects()
    #expect((book["cover"] as? Data)?.count == 300_000)
    #expect(!FileManager.default.fileExists(atPath: "/dev/.null_SUPPORT"))
    // From memory to a file and back again.
    let url = folder.file("saved.sqlite")
    let saved = try coordinator.migratePersistentStore(
      coordinator.persistentStores[0], to: url, type: .sqlite)
    #expect(try Shelf.titles(Shelf.context(coordinator)) == ["a"])
    try coordinator.migratePersistentStore(saved, to: null, type: .sqlite)
    #expect(try Shelf.titles(Shelf.context(coordinator)) == ["a"])
    #expect(try Shelf.titles(at: url) == ["a"])
    try coordinator.replacePersistentStore(
      at: null, withPersistentStoreFrom: url, type: .sqlite)
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: url, withPersistentStoreFrom: null, type: .sqlite)
    }
    #expect(try Shelf.titles(at: url) == ["a"])
    try coordinator.destroyPersistentStore(at: null, type: .sqlite)
    #expect(coordinator.persistentStores.isEmpty)
    var info = stat()
    #expect(lstat("/dev/null", &info) == 0 && info.st_mode & S_IFMT == S_IFCHR)
  }

  /// A copy that fails leaves the other stores in memory alone.
  @Test func aFailedMoveToMemoryRemovesNothingElse() throws {
    let folder = try TemporaryFolder()
    let model = SmallModel.model(SmallModel.entity("A", [SmallModel.number("number")]))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let kept = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: null)
    let context = TestStore.context(coordinator)
    SmallModel.new("A", ["number": 1], in: context)
    try context.save()
    let file = folder.file("a.sqlite")
    let other = try TestStore.open(file, model)
    SmallModel.new("A", ["number": 2], in: other)
    try other.save()
    try TestStore.close(other)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: file)
    // A row that can't be read.
    try SQLiteConnection(writing: file, creation: .existing).execute(
      "UPDATE ZA SET ZNUMBER = 'x'")
    #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(store, to: null, type: .sqlite)
    }
    #expect(coordinator.persistentStores.contains { $0 === kept })
    let request = NSFetchRequest<NSManagedObject>(entityName: "A")
    request.affectedStores = [kept]
    let found = try TestStore.context(coordinator).fetch(request)
    #expect(found.map { $0["number"] as? Int } == [1])
  }

  /// The same device under another name; creating one requires privileges that not every user has.
  @Test func anyNullDeviceIsOne() throws {
    let folder = try TemporaryFolder()
    let device = folder.file("null")
    guard mknod(device.path, S_IFCHR | 0o666, 0x103) == 0 else { return }
    let coordinator = try Shelf.coordinator(device)
    Shelf.book("a", Shelf.context(coordinator))
    try coordinator.destroyPersistentStore(at: device, type: .sqlite)
    var info = stat()
    #expect(lstat(device.path, &info) == 0 && info.st_mode & S_IFMT == S_IFCHR)
    #expect(coordinator.persistentStores.isEmpty)
  }

  @Test func aDescriptionWithoutAPlaceIsOfAStoreInMemory() throws {
    let container = NSPersistentContainer(name: "Shelf", managedObjectModel: Shelf.model())
    let description = NSPersistentStoreDescription()
    #expect(description.url == null)
    container.persistentStoreDescriptions = [description]
    nonisolated(unsafe) var errors: [(any Error)?] = []
    container.loadPersistentStores { errors.append($1) }
    #expect(errors.count == 1 && errors[0] == nil)
    let context = Shelf.context(container.persistentStoreCoordinator)
    Shelf.book("a", context)
    try context.save()
    #expect(try Shelf.titles(context) == ["a"])
    #expect(NSPersistentStoreCoordinator().managedObjectModel.entities.isEmpty)
  }
}
