import CoreData
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct SequenceTests {
  private func request() -> NSFetchRequest<Guest> {
    let request = NSFetchRequest<Guest>(entityName: "Guest")
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Guest.title, ascending: true)]
    return request
  }

  private func insert(_ titles: String..., into context: NSManagedObjectContext) async throws {
    try await context.perform {
      for title in titles { Guest(context: context).title = title }
      try context.save()
    }
  }

  @Test func `results come with their differences`() async throws {
    let context = try makeGuestBook()
    try await insert("b", into: context)
    var updates = context.updates(of: request()).makeAsyncIterator()
    func titles(_ update: FetchUpdate<Guest>) async -> [String] {
      await context.perform { update.objects.map(\.title) }
    }
    let first = try #require(try await updates.next())
    #expect(await titles(first) == ["b"])
    #expect(first.difference.insertions.count == 1)

    try await insert("a", "c", into: context)
    let second = try #require(try await updates.next())
    #expect(await titles(second) == ["a", "b", "c"])
    #expect(first.identities.applying(second.difference) == second.identities)
    #expect(second.changed.isEmpty)
    #expect(second.identities.allSatisfy { !$0.isTemporaryID })

    await context.perform {
      guard let object = second.objects.first else { return }
      object.age = 5
    }
    let third = try #require(try await updates.next())
    #expect(third.difference.isEmpty && third.changed == [second.identities[0]])
  }

  @Test func `results keep to their limit and offset`() async throws {
    let context = try makeGuestBook()
    try await insert("b", "c", "d", "e", into: context)
    let limited = request()
    (limited.fetchOffset, limited.fetchLimit) = (1, 2)
    var updates = context.updates(of: limited).makeAsyncIterator()
    func titles(_ update: FetchUpdate<Guest>?) async -> [String]? {
      await context.perform { update?.objects.map(\.title) }
    }
    #expect(await titles(try await updates.next()) == ["c", "d"])
    try await context.perform {
      let all = try context.fetch(request())
      context.delete(all[0])
      context.delete(all[2])
      try context.save()
    }
    #expect(await titles(try await updates.next()) == ["e"])
    try await insert("a", "f", into: context)
    #expect(await titles(try await updates.next()) == ["c", "e"])
  }

  @Test func `a slow reader gets all changes as one`() async throws {
    let context = try makeGuestBook()
    var updates = context.updates(of: request()).makeAsyncIterator()
    var changes = context.changes.makeAsyncIterator()
    _ = try await updates.next()
    for title in ["a", "b", "c"] { try await insert(title, into: context) }
    let update = try #require(try await updates.next())
    #expect(update.identities.count == 3 && update.difference.insertions.count == 3)
    let change = try #require(await changes.next())
    #expect(change.inserted.count == 3 && change.deleted.isEmpty)
  }

  @Test func `what came and went unnoticed isn't told`() async throws {
    let context = try makeGuestBook()
    var changes = context.changes.makeAsyncIterator()
    let kept = try await context.perform {
      let (guest, kept) = (Guest(context: context), Guest(context: context))
      (guest.title, kept.title) = ("a", "b")
      try context.save()
      context.delete(guest)
      kept.age = 3
      try context.save()
      return kept.objectID
    }
    let change = try #require(await changes.next())
    #expect(change.inserted == [kept])
    #expect(change.updated.isEmpty && change.deleted.isEmpty)
  }

  @Test func `a context tells of its changes and saves`() async throws {
    let context = try makeGuestBook()
    var changes = context.changes.makeAsyncIterator()
    var saves = context.saves.makeAsyncIterator()
    try await insert("a", into: context)
    let id = try #require(await saves.next()?.inserted.first)
    #expect(!id.isTemporaryID)
    _ = await changes.next()
    try await context.perform {
      context.object(with: id).setValue(3, forKey: "age")
      try context.save()
    }
    #expect(await changes.next()?.updated == [id])
    #expect(await saves.next()?.updated == [id])
    try await context.perform {
      context.delete(context.object(with: id))
      try context.save()
    }
    #expect(await changes.next()?.deleted == [id])
    await context.perform { context.reset() }
    #expect(await changes.next()?.isReset == true)
  }

  @Test func `a loop ends with its task`() async throws {
    let context = try makeGuestBook()
    let request = request()
    let updates = context.updates(of: request)
    let (started, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      var count = 0
      for try await _ in updates {
        count += 1
        start.yield()
      }
      return count
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == 1)
    let changes = Task { for await _ in context.changes {} }
    changes.cancel()
    await changes.value
  }

  @Test func `a failing fetch is thrown`() async throws {
    let context = try makeGuestBook()
    let wrong = NSFetchRequest<Guest>(entityName: "Guest")
    wrong.predicate = NSPredicate(format: "nothing == 1")
    await #expect(throws: (any Error).self) {
      for try await _ in context.updates(of: wrong) { break }
    }
  }

  @Test func `transactions of the history come one by one`() async throws {
    let memory = try makeGuestBook()
    let model = try #require(memory.persistentStoreCoordinator?.managedObjectModel)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appendingPathComponent("h.db"),
      options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try await insert("a", into: context)
    try await insert("b", into: context)

    var history = coordinator.history().makeAsyncIterator()
    let first = try #require(try await history.next())
    #expect(try await history.next()?.transactionNumber == 2)
    try await insert("c", "d", into: context)
    #expect(try await history.next()?.changes?.count == 2)
    // Another iterator continues where the first one started.
    var later = coordinator.history(after: first.token).makeAsyncIterator()
    #expect(try await later.next()?.transactionNumber == 2)
    try #require(coordinator.persistentStores.first.map { try coordinator.remove($0) } != nil)
  }
}
