import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Saves without changes, which are announced all the same.
@Suite struct EmptySaveTests {
  private final class Log: @unchecked Sendable {
    var names: [Notification.Name] = []
    var objects = 0
    var onWillSave: (() -> Void)?
  }

  /// Records the notifications about a context's saves.
  private func listen(to context: NSManagedObjectContext, _ log: Log) -> [any NSObjectProtocol] {
    let names: [Notification.Name] = [
      .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
      .NSManagedObjectContextDidSaveObjectIDs, .NSManagedObjectContextObjectsDidChange,
      .NSManagedObjectContextDidMergeChangesObjectIDs,
    ]
    return names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
        log.names.append(name)
        log.objects += $0.userInfo?.count ?? 0
        if name == .NSManagedObjectContextWillSave { log.onWillSave?() }
      }
    }
  }

  private func stop(_ observers: [any NSObjectProtocol]) {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
  }

  private let saveOfNothing: [Notification.Name] = [
    .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
    .NSManagedObjectContextDidSaveObjectIDs,
  ]

  @Test func areToldOfWithoutObjects() throws {
    let context = try Company.context()
    let log = Log()
    let observers = listen(to: context, log)
    defer { stop(observers) }
    try context.save()
    #expect(log.names == saveOfNothing && log.objects == 0)
    // Objects inserted and deleted since don't count.
    context.delete(insert(PersonMO.self, "Person", context))
    context.processPendingChanges()
    (log.names, log.objects) = ([], 0)
    try context.save()
    #expect(log.names == saveOfNothing && log.objects == 0)
    _ = insert(PersonMO.self, "Person", context)
    context.reset()
    log.names = []
    try context.save()
    #expect(log.names == saveOfNothing)
  }

  /// Like programs that save one context whenever any is saved.
  @Test func anAnswerToASaveEnds() throws {
    let (context, other) = (try Company.context(), try Company.context())
    let log = Log()
    let observers = listen(to: context, log)
    let saver = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { notification in
      guard [context, other].contains(where: { $0 === notification.object as AnyObject? }) else {
        return
      }
      try? context.save()
      try? other.save()
    }
    defer { stop(observers + [saver]) }
    _ = insert(PersonMO.self, "Person", other)
    try other.save()
    #expect(log.names == saveOfNothing && !other.hasChanges)
    log.names = []
    try context.save()
    #expect(log.names == saveOfNothing)
  }

  @Test func areAChildsOnly() throws {
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = try Company.context().persistentStoreCoordinator
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let (own, above) = (Log(), Log())
    let observers = listen(to: child, own) + listen(to: parent, above)
    defer { stop(observers) }
    try child.save()
    #expect(own.names == saveOfNothing && above.names.isEmpty)
  }

  @Test func whatIsChangedBeforeOneIsSaved() throws {
    let context = try Company.context()
    let log = Log()
    let observers = listen(to: context, log)
    defer { stop(observers) }
    log.onWillSave = { insert(PersonMO.self, "Person", context).name = "late" }
    try context.save()
    #expect(!context.hasChanges)
    #expect(log.names.filter { $0 == .NSManagedObjectContextDidSave }.count == 1)
    let reader = TestStore.context(context.persistentStoreCoordinator)
    let people = try reader.fetch(NSFetchRequest<PersonMO>(entityName: "Person"))
    #expect(people.map(\.name) == ["late"])
  }

  @Test func bringNothingToThoseThatMergeThem() throws {
    let context = try Company.context()
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    other.automaticallyMergesChangesFromParent = true
    let log = Log()
    let observers = listen(to: other, log)
    defer { stop(observers) }
    try context.save()
    other.performAndWait {}
    #expect(log.names.isEmpty)
    _ = insert(PersonMO.self, "Person", context)
    try context.save()
    other.performAndWait {}
    #expect(log.names.contains(.NSManagedObjectContextDidMergeChangesObjectIDs))
  }

  @Test func ofAReadOnlyStoreAreToldOfToo() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("one.sqlite")
    _ = try Shelf.coordinator(url)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model())
    try coordinator.addPersistentStore(
      type: .sqlite, at: url, options: [NSReadOnlyPersistentStoreOption: true])
    let context = Shelf.context(coordinator)
    let log = Log()
    let observers = listen(to: context, log)
    defer { stop(observers) }
    try context.save()
    #expect(log.names == saveOfNothing)
  }
}
