import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// SQLite stores below `/dev/null`: in memory, and one for all that open the same path.
@Suite struct SharedMemoryTests {
  /// A path that no other test uses: the databases are the process's.
  private func place(_ name: String = "Shelf") -> URL {
    URL(fileURLWithPath: "/dev/null/\(name) \(UUID().uuidString)")
  }

  private func isNullDevice(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFCHR
  }

  @Test func whatIsBelowTheNullDevice() {
    func name(_ path: String) -> String? {
      StoreLocation.sharedName(of: URL(fileURLWithPath: path))
    }
    #expect(name("/dev/null/a") == "a")
    #expect(name("/dev/null/a/b") == "a/b")
    #expect(name("/dev/null") == nil)
    #expect(name("/dev/nullx") == nil)
    #expect(name("/tmp/dev/null/a") == nil)
    func isSame(_ one: String, _ other: String) -> Bool {
      StoreLocation.isSame(URL(fileURLWithPath: one), URL(fileURLWithPath: other))
    }
    #expect(isSame("/dev/null/a", "/dev/null/a"))
    #expect(!isSame("/dev/null/a", "/dev/null/b"))
    #expect(!isSame("/dev/null/a", "/dev/null"))
    #expect(!isSame("/dev/null", "/dev/null/a"))
    #expect(!isSame("/dev/null", "/dev/null"))
  }

  @Test func coordinatorsShareTheStoreOfAPath() throws {
    let url = place()
    let (first, second) = (try Shelf.coordinator(url), try Shelf.coordinator(url))
    let uuid = first.persistentStores[0].identifier
    #expect(second.persistentStores[0].identifier == uuid)
    let (context, other) = (Shelf.context(first), Shelf.context(second))
    let book = Shelf.book("a", context)
    book["cover"] = Data(repeating: 7, count: 300_000)
    try context.save()
    let same = try #require(try other.fetch(Shelf.request()).first)
    #expect(same["title"] as? String == "a")
    #expect((same["cover"] as? Data)?.count == 300_000)
    #expect(same.objectID.uriRepresentation() == book.objectID.uriRepresentation())
    same["title"] = "b"
    try other.save()
    book["title"] = "c"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    context.rollback()
    context.refreshAllObjects()
    #expect(try Shelf.titles(context) == ["b"])
    // Another name is another store, and so is none.
    for elsewhere in [place(), URL(fileURLWithPath: "/dev/null")] {
      #expect(try Shelf.titles(at: elsewhere) == [])
    }
    let again = #expect(throws: NSError.self) {
      try first.addPersistentStore(type: .sqlite, at: url)
    }
    #expect(again?.code == 134081)
    #expect(first.persistentStore(for: url) === first.persistentStores[0])
    #expect(isNullDevice("/dev/null"))
  }

  @Test(arguments: ["a", "a?mode=ro#x", "50%41", "ä/b", "a&vfs=unix"])
  func anyNameIsOne(name: String) throws {
    let url = place(name)
    let keeper = try Shelf.coordinator(url)
    let context = Shelf.context(keeper)
    Shelf.book(name, context)
    try context.save()
    #expect(try Shelf.titles(at: url) == [name])
    #expect(try Shelf.titles(at: place(name)) == [])
    withExtendedLifetime(keeper) {}
  }

  @Test func itLivesAsLongAsItIsOpen() throws {
    let url = place()
    func fill() throws {
      let coordinator = try Shelf.coordinator(url)
      let context = Shelf.context(coordinator)
      Shelf.book("a", context)
      try context.save()
    }
    try fill()
    #expect(try Shelf.titles(at: url) == [])
    let keeper = try Shelf.coordinator(url)
    try fill()
    #expect(try Shelf.titles(at: url) == ["a"])
    withExtendedLifetime(keeper) {}
  }

  @Test func readersOnlyRead() throws {
    let url = place()
    let keeper = try Shelf.coordinator(url)
    let context = Shelf.context(keeper)
    Shelf.book("a", context)
    try context.save()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    let store = try coordinator.addPersistentStore(
      type: .sqlite, at: url, options: [NSReadOnlyPersistentStoreOption: true])
    #expect(store.isReadOnly)
    let reader = Shelf.context(coordinator)
    #expect(try Shelf.titles(reader) == ["a"])
    Shelf.book("b", context)
    try context.save()
    #expect(try Shelf.titles(reader) == ["a", "b"])
    Shelf.book("c", reader)
    #expect(throws: NSError.self) { try reader.save() }
    withExtendedLifetime(keeper) {}
  }

  /// Without the option it would miss what is saved, so it is only read, through the connection that it has.
  @Test func aStoreWithHistoryIsOnlyReadWithoutIt() throws {
    let url = place()
    let keeper = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    try keeper.addPersistentStore(
      type: .sqlite, at: url, options: [NSPersistentHistoryTrackingKey: true])
    let context = Shelf.context(keeper)
    Shelf.book("a", context)
    try context.save()
    let coordinator = try Shelf.coordinator(url)
    #expect(coordinator.persistentStores[0].isReadOnly)
    #expect(try Shelf.titles(Shelf.context(coordinator)) == ["a"])
    withExtendedLifetime(keeper) {}
  }

  @Test func itsMetadataCanBeReadWhileItIsOpen() throws {
    let url = place()
    #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    }
    let coordinator = try Shelf.coordinator(url)
    try NSPersistentStoreCoordinator.setMetadata(["Mine": "v"], type: .sqlite, at: url)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite, at: url)
    #expect(metadata["Mine"] as? String == "v")
    let uuid = coordinator.persistentStores[0].identifier
    #expect(metadata[NSStoreUUIDKey] as? String == uuid)
  }

  @Test func destroyingEmptiesItForAll() throws {
    let url = place()
    let (one, other) = (try Shelf.coordinator(url), try Shelf.coordinator(url))
    let context = Shelf.context(other)
    Shelf.book("a", context)
    try context.save()
    try one.destroyPersistentStore(at: url, type: .sqlite)
    #expect(one.persistentStores.isEmpty)
    Shelf.book("b", context)
    #expect(throws: NSError.self) { try context.save() }
    try other.remove(other.persistentStores[0])
    #expect(try Shelf.titles(at: url) == [])
    #expect(isNullDevice("/dev/null"))
  }

  @Test func itIsMigratedInPlace() throws {
    let url = place()
    let keeper = try Shelf.coordinator(url)
    let context = Shelf.context(keeper)
    Shelf.book("a", context)
    try context.save()
    let model = Shelf.model()
    let book = model.entitiesByName["Book"]
    book?.properties.append(attribute("price", .doubleAttributeType))
    let refused = NSPersistentStoreCoordinator(managedObjectModel: model)
    let error = #expect(throws: NSError.self) {
      try refused.addPersistentStore(type: .sqlite, at: url)
    }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    try refused.addPersistentStore(type: .sqlite, at: url, options: TestStore.migrating)
    #expect(try Shelf.titles(Shelf.context(refused)) == ["a"])
    #expect(isNullDevice("/dev/null"))
    withExtendedLifetime(keeper) {}
  }

  @Test func storesMoveToFreeNamesOnly() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.coordinator(folder.file("a.sqlite"))
    let context = Shelf.context(coordinator)
    Shelf.book("a", context)
    try context.save()
    let (taken, free) = (place(), place())
    let keeper = try Shelf.coordinator(taken)
    #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(
        coordinator.persistentStores[0], to: taken, type: .sqlite)
    }
    #expect(try Shelf.titles(at: taken) == [])
    try coordinator.migratePersistentStore(
      coordinator.persistentStores[0], to: free, type: .sqlite)
    #expect(try Shelf.titles(at: free) == ["a"])
    // And back to a file.
    let url = folder.file("b.sqlite")
    try coordinator.migratePersistentStore(
      coordinator.persistentStores[0], to: url, type: .sqlite)
    #expect(try Shelf.titles(at: url) == ["a"])
    withExtendedLifetime(keeper) {}
  }

  @Test func aContainerOpensOne() throws {
    let url = place()
    let containers = (0..<2).map { _ in
      let container = NSPersistentContainer(name: "Shelf", managedObjectModel: Shelf.model())
      container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
      container.loadPersistentStores { #expect($1 == nil) }
      return container
    }
    let context = Shelf.context(containers[0].persistentStoreCoordinator)
    Shelf.book("a", context)
    try context.save()
    #expect(try Shelf.titles(Shelf.context(containers[1].persistentStoreCoordinator)) == ["a"])
    #expect(isNullDevice("/dev/null"))
  }
}
