import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Where the files of stores are that are read and written as a whole: elsewhere, behind links, destroyed and replaced.
@Suite struct AtomicFilePlaceTests {
  private let folder: TemporaryFolder
  private let url: URL
  private let model = AtomicFiles.model()

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("Music.store")
  }

  private func context(_ type: String) throws -> NSManagedObjectContext {
    try AtomicFiles.context(type, url, model)
  }

  private func coordinator(_ context: NSManagedObjectContext) throws -> NSPersistentStoreCoordinator
  {
    try #require(context.persistentStoreCoordinator)
  }

  private func store(_ context: NSManagedObjectContext) throws -> NSPersistentStore {
    try #require(context.persistentStoreCoordinator?.persistentStores.first)
  }

  @Test(arguments: AtomicFiles.types) func theNextSaveGoesToAnotherPlace(type: String) throws {
    let context = try context(type)
    try AtomicFiles.fill(context)
    let bytes = try Data(contentsOf: url)
    let next = folder.file("next")
    #expect(try coordinator(context).setURL(next, for: try store(context)))
    #expect(try coordinator(context).url(for: try store(context)) == next)
    #expect(!(try coordinator(context).setURL(folder.url, for: try store(context))))
    try context.save()
    #expect(try Data(contentsOf: next) == bytes)
    #expect(try Data(contentsOf: url) == bytes)
  }

  /// What lies there is to be replaced: it isn't the store.
  @Test(arguments: AtomicFiles.types, [false, true])
  func aStoreMovesOnBeforeItWasWritten(type: String, isTaken: Bool) throws {
    let (next, last) = (folder.file("next"), folder.file("last"))
    if isTaken {
      let other = try AtomicFiles.context(type, next, model)
      _ = AtomicFiles.new("Song", ["name": "theirs"], other)
      try other.save()
    }
    let theirs = try? Data(contentsOf: next)
    let context = try context(type)
    try AtomicFiles.fill(context)
    let song = try #require(try AtomicFiles.all("Song", context, sortedBy: "name").first)
    let (id, bytes) = (song.objectID, try Data(contentsOf: url))
    let former = try store(context)
    #expect(try coordinator(context).setURL(next, for: former))
    let moved = try coordinator(context).migratePersistentStore(
      former, to: last, options: nil, withType: type)
    #expect(moved.identifier == former.identifier)
    #expect((try? Data(contentsOf: next)) == theirs)
    #expect(try Data(contentsOf: last) == bytes)
    #expect(try Data(contentsOf: url) == bytes)
    song["name"] = "renamed"
    try context.save()
    #expect(song.objectID == id)
    let reader = try AtomicFiles.context(type, last, model)
    #expect(
      try AtomicFiles.all("Song", reader, sortedBy: "name").map { $0["name"] as? String }
        == ["1", "2", "renamed"])
  }

  @Test(arguments: AtomicFiles.types) func aNewStoreMovesAsItself(type: String) throws {
    let context = try context(type)
    let (former, last) = (try store(context), folder.file("last"))
    let song = AtomicFiles.new("Song", ["name": "unsaved"], context)
    let moved = try coordinator(context).migratePersistentStore(
      former, to: last, options: nil, withType: type)
    #expect(moved.identifier == former.identifier)
    try context.save()
    #expect(!song.objectID.isTemporaryID)
    let reader = try AtomicFiles.context(type, last, model)
    #expect(try AtomicFiles.all("Song", reader).count == 1)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test(arguments: AtomicFiles.types) func onlyFilesAreStores(type: String) throws {
    let error = #expect(throws: NSError.self) {
      try AtomicFiles.context(type, folder.url, model)
    }
    #expect(error?.code == NSPersistentStoreOpenError)
    #expect(throws: NSError.self) { try AtomicFiles.context(type, nil, model) }
    // As with a SQLite store, one at this location lives in memory.
    let memory = try AtomicFiles.context(type, URL(fileURLWithPath: "/dev/null"), model)
    try AtomicFiles.fill(memory)
    #expect(try AtomicFiles.all("Song", memory).count == 3)
    // A symbolic link is kept, and refers to the new file.
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    try AtomicFiles.fill(try AtomicFiles.context(type, link, model))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == url.path)
    #expect(try AtomicFiles.all("Song", try context(type)).count == 3)
  }

  @Test(arguments: AtomicFiles.types) func aPipeIsNeverReplacedOrRemoved(type: String) throws {
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let context = try context(type)
    try AtomicFiles.fill(context)
    let coordinator = try coordinator(context)
    #expect(throws: NSError.self) { try AtomicFiles.context(type, pipe, model) }
    #expect(throws: NSError.self) {
      try coordinator.destroyPersistentStore(at: pipe, ofType: type)
    }
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: pipe, withPersistentStoreFrom: url, ofType: type)
    }
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: url, withPersistentStoreFrom: pipe, ofType: type)
    }
    var info = stat()
    #expect(lstat(pipe.path, &info) == 0 && info.st_mode & S_IFMT == S_IFIFO)
    #expect(try AtomicFiles.all("Song", context).count == 3)
  }

  @Test(arguments: AtomicFiles.types) func storesAreDestroyedAndReplaced(type: String) throws {
    let first = try context(type)
    try AtomicFiles.fill(first)
    let copy = folder.file("copy")
    let coordinator = try coordinator(first)
    try coordinator.replacePersistentStore(
      at: copy, withPersistentStoreFrom: url, ofType: type)
    #expect(try AtomicFiles.all("Song", try AtomicFiles.context(type, copy, model)).count == 3)
    try coordinator.destroyPersistentStore(at: url, ofType: type)
    #expect(coordinator.persistentStores.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    try coordinator.destroyPersistentStore(at: url, ofType: type)
    #expect(throws: NSError.self) {
      try coordinator.destroyPersistentStore(at: folder.url, ofType: type)
    }
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: copy, withPersistentStoreFrom: url, ofType: type)
    }
    #expect(FileManager.default.fileExists(atPath: copy.path))
  }
}
