import CoreData
import Foundation
import Observation
import Synchronization
import Testing

final class Clock: NSManagedObject, ObservableManagedObject {
  @Managed var hour: Int64
  @Managed var place: String?
}

@Suite struct ObservationTests {
  private let context: NSManagedObjectContext
  private let other: NSManagedObjectContext

  init() throws {
    let entity = NSEntityDescription()
    (entity.name, entity.managedObjectClassName) = ("Clock", "Clock")
    let (hour, place) = (NSAttributeDescription(), NSAttributeDescription())
    (hour.name, hour.type, hour.isOptional) = ("hour", .integer64, true)
    (place.name, place.type, place.isOptional) = ("place", .string, true)
    entity.properties = [hour, place]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let contexts = (0..<2).map { _ in
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      return context
    }
    (context, other) = (contexts[0], contexts[1])
  }

  /// Counts the notifications to an observer that reads the hour once.
  private final class Count: Sendable {
    let value = Mutex(0)
    func read(_ clock: Clock) {
      withObservationTracking {
        _ = clock.hour
      } onChange: { [self] in
        value.withLock { $0 += 1 }
      }
    }
    var now: Int { value.withLock { $0 } }
  }

  @Test func `whoever reads an object hears of its next change`() throws {
    try context.performAndWait {
      let (clock, stranger) = (Clock(context: context), Clock(context: context))
      let count = Count()
      count.read(clock)
      stranger.hour = 1
      #expect(count.now == 0)
      clock.hour = 2
      #expect(count.now == 1)
      clock.hour = 3
      #expect(count.now == 1)
      count.read(clock)
      clock.setValue("hall", forKey: "place")
      #expect(count.now == 2)
      try context.save()
    }
  }

  @Test func `fetched, refreshed and taken back values are told of`() throws {
    try context.performAndWait {
      Clock(context: context).hour = 7
      try context.save()
      context.reset()
      let clock = try #require(try context.fetch(NSFetchRequest<Clock>(entityName: "Clock")).first)
      let count = Count()
      count.read(clock)
      context.undoManager = UndoManager()
      clock.hour = 8
      context.processPendingChanges()
      #expect(count.now == 1)
      count.read(clock)
      context.undo()
      context.processPendingChanges()
      #expect(count.now == 2 && clock.hour == 7)
      count.read(clock)
      context.refresh(clock, mergeChanges: false)
      context.processPendingChanges()
      #expect(count.now == 3)
    }
  }

  @Test func `what another context saved is told of when it is merged`() throws {
    let id = try context.performAndWait {
      let clock = Clock(context: context)
      try context.save()
      return clock.objectID
    }
    try context.performAndWait {
      let clock = try #require(try context.existingObject(with: id) as? Clock)
      let count = Count()
      count.read(clock)
      var hours: [Int64?] = []
      let token = clock.observe(\.hour, options: .new) { _, change in hours.append(change.newValue)
      }
      let saved = NotificationBox()
      try other.performAndWait {
        let token = NotificationCenter.default.addObserver(
          forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { saved.notification = $0 }
        try other.existingObject(with: id).setValue(9, forKey: "hour")
        try other.save()
        NotificationCenter.default.removeObserver(token)
      }
      context.mergeChanges(fromContextDidSave: try #require(saved.notification))
      #expect(count.now == 1 && hours == [9])
      withExtendedLifetime(token) {}
    }
  }

  // Passed between two contexts, one of which waits for the other.
  private final class NotificationBox: @unchecked Sendable {
    var notification: Notification?
  }

  @Test func `objects that a child has inserted are observed in its parent`() throws {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try child.performAndWait {
      Clock(context: child).hour = 1
      try child.save()
    }
    try context.performAndWait {
      let clock = try #require(
        try context.fetch(NSFetchRequest<Clock>(entityName: "Clock")).first)
      let count = Count()
      count.read(clock)
      clock.hour = 2
      #expect(count.now == 1)
    }
  }
}
