import CoreData
import Foundation
import Testing

/// Typical test doubles: subclasses that count, fail, or return fixed results.
private final class FailingContext: NSManagedObjectContext, @unchecked Sendable {
  struct Failure: Error {}
  var calls: [String] = []

  override func save() throws {
    calls.append("save")
    throw Failure()
  }
  override func delete(_ object: NSManagedObject) {
    calls.append("delete")
    super.delete(object)
  }
  override func insert(_ object: NSManagedObject) {
    calls.append("insert")
    super.insert(object)
  }
  override func perform(_ block: @escaping () -> Void) { block() }
  override func rollback() {
    calls.append("rollback")
    super.rollback()
  }
  override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    calls.append("existingObject")
    return try super.existingObject(with: objectID)
  }
  override func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    calls.append("obtainPermanentIDs")
    try super.obtainPermanentIDs(for: objects)
  }
  override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    calls.append("refresh")
    super.refresh(object, mergeChanges: flag)
  }
  override func reset() {
    calls.append("reset")
    super.reset()
  }
}

private final class FixedController: NSFetchedResultsController<Guest> {
  var fetchCount = 0
  override func performFetch() throws { fetchCount += 1 }
  override var fetchedObjects: [Guest]? { [] }
  override var sections: [any NSFetchedResultsSectionInfo]? { nil }
}

private final class CountResult: NSBatchDeleteResult, @unchecked Sendable {
  override var result: Any? { 7 }
}

private final class OtherContainer: NSPersistentContainer, @unchecked Sendable {
  let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  override var viewContext: NSManagedObjectContext { other }
}

@Suite struct StandInTests {
  @Test func `a context's methods can be overridden`() throws {
    let coordinator = try makeGuestBook().persistentStoreCoordinator
    let context = FailingContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let guest = Guest(context: context)
      try context.obtainPermanentIDs(for: [guest])
      context.refresh(guest, mergeChanges: true)
      #expect(try context.existingObject(with: guest.objectID) === guest)
      context.delete(guest)
      #expect(throws: FailingContext.Failure.self) { try context.save() }
      context.rollback()
      context.reset()
      var isDone = false
      context.perform { isDone = true }
      #expect(isDone)
    }
    #expect(
      context.calls == [
        "obtainPermanentIDs", "refresh", "existingObject", "delete", "save", "rollback", "reset",
      ])
  }

  @Test func `so can results, controllers and containers`() throws {
    let context = try makeGuestBook()
    let request = NSFetchRequest<Guest>(entityName: "Guest")
    request.sortDescriptors = []
    let controller = FixedController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    try controller.performFetch()
    #expect(
      controller.fetchCount == 1 && controller.fetchedObjects == [] && controller.sections == nil)
    let result: NSBatchDeleteResult = CountResult()
    #expect(result.result as? Int == 7 && result.resultType == .resultTypeStatusOnly)
    let container: NSPersistentContainer = OtherContainer(
      name: "Other", managedObjectModel: NSManagedObjectModel())
    #expect(container.viewContext.concurrencyType == .privateQueueConcurrencyType)
  }
}
