import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// As many contexts as a program makes that performs a background task for each of its items.
@Suite struct ManyContextsTests {
  /// Each of them merges the saves of all others, which must not keep them from going on.
  @Test(.timeLimit(.minutes(1))) func backgroundTasksEnd() async throws {
    let folder = try TemporaryFolder()
    let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: folder.file("Library.sqlite"))
    ]
    try await withCheckedThrowingContinuation { continuation in
      container.loadPersistentStores { _, error in
        continuation.resume(with: error.map { .failure($0) } ?? .success(()))
      }
    }
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
}
