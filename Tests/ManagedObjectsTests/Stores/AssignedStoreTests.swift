import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// New objects that were assigned to a store which is moved, or removed, before they are saved.
@Suite struct AssignedStoreTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext
  private let parent: NSManagedObjectContext
  private let child: NSManagedObjectContext
  private var store: NSPersistentStore { coordinator.persistentStores[1] }

  init() throws {
    folder = try TemporaryFolder()
    coordinator = try Shelf.coordinator(folder.file("a.sqlite"), folder.file("b.sqlite"))
    context = Shelf.context(coordinator)
    parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
  }

  private func move() throws -> NSPersistentStore {
    try coordinator.migratePersistentStore(store, to: folder.file("c.sqlite"), type: .sqlite)
  }

  @Test(arguments: [false, true]) func theyFollowAMovedStore(haveIDs: Bool) throws {
    let book = Shelf.book("b", context, in: store)
    if haveIDs { try context.obtainPermanentIDs(for: [book]) }
    let former = store
    let moved = try move()
    let request = Shelf.request()
    request.affectedStores = [moved]
    #expect(try context.fetch(request) == [book])
    // To assign it again changes nothing.
    context.assign(book, to: former)
    context.assign(book, to: moved)
    try context.save()
    #expect(try Shelf.titles(at: folder.file("c.sqlite")) == ["b"])
    #expect(try Shelf.titles(at: folder.file("a.sqlite")) == [])
  }

  @Test(arguments: [false, true]) func aChildsFollowItToo(haveIDs: Bool) throws {
    let book = Shelf.book("b", child, in: store)
    if haveIDs { try child.obtainPermanentIDs(for: [book]) }
    _ = try move()
    try child.save()
    try parent.performAndWait { try parent.save() }
    #expect(try Shelf.titles(at: folder.file("c.sqlite")) == ["b"])
  }

  @Test(arguments: [false, true]) func aChildSavesAndItsParentCannot(haveIDs: Bool) throws {
    let book = Shelf.book("b", child, in: store)
    if haveIDs { try child.obtainPermanentIDs(for: [book]) }
    try coordinator.remove(store)
    try child.save()
    #expect(parent.performAndWait { parent.insertedObjects.count } == 1)
    let error = #expect(throws: NSError.self) {
      try parent.performAndWait { try parent.save() }
    }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(try Shelf.titles(at: folder.file("a.sqlite")) == [])
  }
}
