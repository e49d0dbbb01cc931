import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

private final class Listener: NSFetchedResultsControllerDelegate {}

/// A container whose background contexts merge what others save.
private final class MergingContainer: NSPersistentContainer, @unchecked Sendable {
  override func newBackgroundContext() -> NSManagedObjectContext {
    let context = super.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    return context
  }
}

/// As many contexts as a program makes that performs a background task for each of its items.
@Suite struct ManyContextsTests {
  /// Each of them merges the saves of all others, which must not keep them from going on.
  @Test(.timeLimit(.minutes(1))) func backgroundTasksEnd() async throws {
    let folder = try TemporaryFolder()
    let container = try await container(folder)
    let count = 300
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          try await container.performBackgroundTask { context in
            _ = Library.new("Author", ["name": "Author \(number)"], in: context)
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let context = container.newBackgroundContext()
    let found = try context.performAndWait { try Library.all("Author", in: context).count }
    #expect(found == count)
  }

  /// A context that is kept after its task merges what was saved meanwhile: into its objects, and for its controllers,
  /// even if it has no objects.
  @Test(arguments: [false, true]) func aContextThatOutlivesItsTaskMerges(isEmpty: Bool) async throws
  {
    let folder = try TemporaryFolder()
    let container = try await container(folder)
    let writer = container.newBackgroundContext()
    nonisolated(unsafe) var author: NSManagedObject?
    if !isEmpty {
      try writer.performAndWait {
        author = Library.new("Author", ["name": "1"], in: writer)
        try writer.save()
      }
    }
    nonisolated(unsafe) let first = author
    typealias Kept = (NSFetchedResultsController<NSManagedObject>, NSManagedObjectContext)
    let listener = Listener()
    nonisolated(unsafe) let delegate = listener
    nonisolated(unsafe) let kept: Kept = try await container.performBackgroundTask { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      controller.delegate = delegate
      try controller.performFetch()
      try writer.performAndWait {
        first?["name"] = "2"
        _ = Library.new("Author", ["name": "3"], in: writer)
        try writer.save()
      }
      return (controller, context)
    }
    let names = kept.1.performAndWait {
      (kept.0.fetchedObjects ?? []).map { $0["name"] as? String }
    }
    #expect(names == (isEmpty ? ["3"] : ["2", "3"]))
    withExtendedLifetime(listener) {}
  }

  private func container(_ folder: TemporaryFolder) async throws -> NSPersistentContainer {
    let container = MergingContainer(name: "Library", managedObjectModel: Library.model())
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: folder.file("Library.sqlite"))
    ]
    try await withCheckedThrowingContinuation { continuation in
      container.loadPersistentStores { _, error in
        continuation.resume(with: error.map { .failure($0) } ?? .success(()))
      }
    }
    return container
  }

  /// What arrives while a context is busy is merged in order, at once.
  @Test func whatArrivesMeanwhileIsMerged() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    let writer = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    for context in [writer, reader] { context.persistentStoreCoordinator = coordinator }
    reader.automaticallyMergesChangesFromParent = true
    reader.retainsRegisteredObjects = true
    let author = Library.new("Author", ["name": "1"], in: writer)
    let leaving = Library.new("Author", ["name": "leaves"], in: writer)
    try writer.save()
    reader.performAndWait {}
    nonisolated(unsafe) var merges = 0
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidMergeChangesObjectIDs, object: reader, queue: nil
    ) { _ in merges += 1 }
    defer { NotificationCenter.default.removeObserver(observer) }
    try reader.performAndWait {
      let known = try reader.existingObject(with: author.objectID)
      let gone = try reader.existingObject(with: leaving.objectID)
      for name in ["2", "3", "4"] {
        author["name"] = name
        if name == "3" { writer.delete(leaving) }
        try writer.save()
      }
      // The context's queue is busy with this block.
      #expect(known["name"] as? String == "1")
      #expect(!gone.isDeleted)
    }
    reader.performAndWait {
      let known = reader.registeredObject(for: author.objectID)
      #expect(known?["name"] as? String == "4")
      #expect(reader.registeredObject(for: leaving.objectID)?.isDeleted != false)
    }
    #expect(merges == 3)
  }

  /// What arrives together is told as if the context had had time for each save: of the deletion of what nobody has kept,
  /// nothing.
  @Test(arguments: [false, true]) func whatComesAndGoesMeanwhileIsTold(isKept: Bool) throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    let writer = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    for context in [writer, reader] { context.persistentStoreCoordinator = coordinator }
    reader.automaticallyMergesChangesFromParent = true
    nonisolated(unsafe) var told: [String] = []
    nonisolated(unsafe) var kept: Set<NSManagedObject> = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: reader, queue: nil
    ) { notification in
      for key in [NSInsertedObjectsKey, NSDeletedObjectsKey] {
        let objects = notification.userInfo?[key] as? Set<NSManagedObject> ?? []
        if isKept { kept.formUnion(objects) }
        told += objects.map { _ in key }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try reader.performAndWait {
      let author = Library.new("Author", ["name": "1"], in: writer)
      try writer.save()
      writer.delete(author)
      try writer.save()
    }
    reader.performAndWait {}
    #expect(told == [NSInsertedObjectsKey] + (isKept ? [NSDeletedObjectsKey] : []))
  }
}
