import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Versions of the rows of stores that are moved to their own type, whose files hold none.
@Suite struct MovedVersionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func coordinator(_ type: String) throws -> NSPersistentStoreCoordinator {
    try TestStore.coordinator(Shelf.model(), at: folder.file("a"), type: type)
  }

  private func move(_ coordinator: NSPersistentStoreCoordinator, to name: String) throws {
    let store = try #require(coordinator.persistentStores.first)
    try coordinator.migratePersistentStore(
      store, to: folder.file(name), options: nil, withType: store.type)
  }

  @Test(arguments: AtomicFiles.types) func anObjectSavedTwiceIsSavedAgain(type: String) throws {
    let coordinator = try coordinator(type)
    let context = Shelf.context(coordinator)
    let book = Shelf.book("one", context)
    try context.save()
    book["title"] = "two"
    try context.save()
    for title in ["three", "four"] {
      try move(coordinator, to: title)
      book["title"] = title
      try context.save()
    }
    let reader = try TestStore.coordinator(Shelf.model(), at: folder.file("four"), type: type)
    #expect(try Shelf.titles(Shelf.context(reader)) == ["four"])
  }

  /// What was read before another context's save is old after a move, too.
  @Test(arguments: AtomicFiles.types) func whatWasOldStaysOld(type: String) throws {
    let coordinator = try coordinator(type)
    let (mine, theirs) = (Shelf.context(coordinator), Shelf.context(coordinator))
    let book = Shelf.book("one", mine)
    try mine.save()
    let other = try theirs.existingObject(with: book.objectID)
    other["title"] = "theirs"
    try theirs.save()
    try move(coordinator, to: "b")
    book["title"] = "mine"
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }

  /// Another process has written the file that is moved.
  @Test(arguments: AtomicFiles.types) func whatOthersHaveWrittenIsNewer(type: String) throws {
    let coordinator = try coordinator(type)
    let context = Shelf.context(coordinator)
    let (changed, same) = (Shelf.book("changed", context), Shelf.book("same", context))
    try context.save()
    (changed["title"], same["title"]) = ("changed twice", "same twice")
    try context.save()
    let theirs = Shelf.context(try self.coordinator(type))
    let request = Shelf.request()
    request.predicate = NSPredicate(format: "title == 'changed twice'")
    try #require(try theirs.fetch(request).first)["title"] = "theirs"
    try theirs.save()
    try move(coordinator, to: "b")
    same["title"] = "same, saved again"
    try context.save()
    changed["title"] = "mine"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }
}
