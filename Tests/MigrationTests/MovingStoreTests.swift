import DataModels
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Moving and replacing stores.
@Suite struct MovingStoreTests {
  private func model() -> NSManagedObjectModel {
    EventModels.model { model in
      let data = attribute("photo", .binaryDataAttributeType)
      data.allowsExternalBinaryDataStorage = true
      model.entitiesByName["Location"]?.properties.append(data)
    }
  }

  @Test func aStoreMovesWithItsFilesAndIdentities() throws {
    let folder = try TemporaryFolder()
    let (old, new) = (folder.file("Old.sqlite"), folder.file("New.sqlite"))
    let model = model()
    try TestStore.make(old, model)
    let before = try StoreSnapshot(old, model)
    let context = try TestStore.open(old, model)
    let coordinator = try #require(context.persistentStoreCoordinator)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Event")
    let event = try #require(try context.fetch(request).first)
    let store = try #require(coordinator.persistentStores.first)
    let moved = try coordinator.migratePersistentStore(
      store, to: new, options: nil, withType: NSSQLiteStoreType)
    #expect(coordinator.persistentStores == [moved])
    #expect(moved.identifier == store.reference.identifier)
    // Existing objects continue with the new store.
    event["timestamp"] = Date(timeIntervalSinceReferenceDate: 9.5)
    try context.save()
    #expect(try context.fetch(request).contains { $0 === event })
    #expect(try StoreSnapshot(old, model) == before)
    var expected = before
    expected.entities["Event"]?[event.objectID.key]?["timestamp"] = ["9.5"]
    #expect(try StoreSnapshot(new, model) == expected)
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: folder.file(".New_SUPPORT/_EXTERNAL_DATA").path
      ).count == 4)
    let error = #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(moved, to: old, type: .sqlite)
    }
    #expect(error?.code == NSPersistentStoreOperationError)
    #expect(coordinator.persistentStores == [moved])
  }

  /// What is left of a destroyed store is in nobody's way.
  @Test(
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType], [NSSQLiteStoreType, NSBinaryStoreType])
  func aStoreMovesToWhereOneWasDestroyed(type: String, newType: String) throws {
    let folder = try TemporaryFolder()
    let model = model()
    let new = folder.file("New.store")
    try TestStore.make(new, model)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.destroyPersistentStore(at: new, ofType: NSSQLiteStoreType)
    #expect(try Data(contentsOf: new).isEmpty)
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil,
      at: type == NSInMemoryStoreType ? nil : folder.file("Old.sqlite"))
    let context = TestStore.context(coordinator)
    try StoreFiller.fill(context, model)
    let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Event"))
    let counter = RemovalCounter(store)
    let moved = try coordinator.migratePersistentStore(
      store, to: new, options: nil, withType: newType)
    #expect(counter.count == 1)
    #expect(coordinator.persistentStores == [moved])
    context.reset()
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Event")) == count)
    try coordinator.remove(moved)
    let again = NSPersistentStoreCoordinator(managedObjectModel: model)
    try again.addPersistentStore(ofType: newType, configurationName: nil, at: new)
    let reader = TestStore.context(again)
    #expect(try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Event")) == count)
  }

  @Test func aStoreInMemoryBecomesAFile() throws {
    let folder = try TemporaryFolder()
    let model = model()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = TestStore.context(coordinator)
    try StoreFiller.fill(context, model)
    let url = folder.file("Saved.sqlite")
    try coordinator.migratePersistentStore(store, to: url, type: .sqlite)
    let snapshot = try StoreSnapshot(url, model)
    #expect(snapshot.count == 16)
    let places = snapshot.entities["Location"] ?? [:]
    #expect(places.values.map { $0["events"]?.count ?? 0 }.sorted().suffix(2) == [1, 6])
    #expect(try StoreChecker(url, model: model).findings() == [])
  }

  /// A member of a to-many relationship without inverse has room for one owner in a SQLite store.
  @Test(arguments: [NSInMemoryStoreType, NSBinaryStoreType])
  func noSharedMemberIsLost(type: String) throws {
    let folder = try TemporaryFolder()
    let (list, item) = (entity("List"), entity("Item"))
    list.properties = [relationship("items", to: item)]
    item.properties = [attribute("name")]
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(of: [list, item]))
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil,
      at: type == NSInMemoryStoreType ? nil : folder.file("Old"))
    let context = TestStore.context(coordinator)
    let lists = (0..<2).map { _ in
      NSEntityDescription.insertNewObject(forEntityName: "List", into: context)
    }
    let shared = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
    for list in lists { list["items"] = Set([shared]) }
    try context.save()
    let url = folder.file("Saved.sqlite")
    let error = #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(store, to: url, type: .sqlite)
    }
    #expect(error?.code == NSMigrationError)
    #expect(error?.userInfo["relationship"] as? String == "items")
    #expect(coordinator.persistentStores == [store])
    #expect(!FileManager.default.fileExists(atPath: url.path))
    // Other stores have the room, and so has this one for a member of one.
    let binary = try coordinator.migratePersistentStore(
      store, to: folder.file("Saved.binary"), type: .binary)
    let request = NSFetchRequest<NSManagedObject>(entityName: "List")
    let fresh = TestStore.context(coordinator)
    let moved = try fresh.fetch(request)
    #expect(moved.map { ($0["items"] as? Set<NSManagedObject>)?.count } == [1, 1])
    moved.first?["items"] = Set<NSManagedObject>()
    try fresh.save()
    try coordinator.migratePersistentStore(binary, to: url, type: .sqlite)
    let last = TestStore.context(coordinator)
    let lastLists = try last.fetch(request)
    #expect(
      Set(lastLists.map { ($0["items"] as? Set<NSManagedObject>)?.count }) == [0, 1])
  }

  @Test func oneStoreReplacesAnother() throws {
    let folder = try TemporaryFolder()
    let (source, target) = (folder.file("Source.sqlite"), folder.file("Target.sqlite"))
    let model = model()
    try TestStore.make(source, model)
    let expected = try StoreSnapshot(source, model)
    let context = try TestStore.open(target, model)
    let photo = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
    photo["photo"] = Data(repeating: 9, count: 300_000)
    try context.save()
    try TestStore.close(context)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    for _ in 0..<2 {
      try coordinator.replacePersistentStore(
        at: target, withPersistentStoreFrom: source, type: .sqlite)
      #expect(try StoreSnapshot(target, model) == expected)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: folder.file(".Target_SUPPORT/_EXTERNAL_DATA").path
      ).count == 4)
    try coordinator.replacePersistentStore(
      at: folder.file("Third.sqlite"), withPersistentStoreFrom: source, type: .sqlite)
    #expect(try StoreSnapshot(folder.file("Third.sqlite"), model) == expected)
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: target, withPersistentStoreFrom: folder.file("gone.sqlite"), type: .sqlite)
    }
    #expect(try StoreSnapshot(target, model) == expected)
  }

  /// Restoring a backup, as programs do: the replaced store is no longer one of the coordinator's, and is added again.
  @Test func aReplacedStoreIsAddedAgain() throws {
    let folder = try TemporaryFolder()
    let (store, backup) = (folder.file("Store.sqlite"), folder.file("Backup.sqlite"))
    let context = try TestStore.open(store, model())
    let coordinator = try #require(context.persistentStoreCoordinator)
    func count() throws -> Int {
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Location"))
    }
    _ = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
    try context.save()
    try coordinator.replacePersistentStore(
      at: backup, withPersistentStoreFrom: store, type: .sqlite)
    #expect(coordinator.persistentStores.count == 1)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
    try context.save()
    #expect(try count() == 2)
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: store, withPersistentStoreFrom: folder.file("gone.sqlite"), type: .sqlite)
    }
    // Nothing was replaced.
    #expect(try count() == 2)
    context.reset()
    try coordinator.replacePersistentStore(
      at: store, withPersistentStoreFrom: backup, type: .sqlite)
    #expect(coordinator.persistentStores.isEmpty)
    try coordinator.addPersistentStore(type: .sqlite, at: store)
    #expect(try count() == 1)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
    try context.save()
    #expect(try count() == 2)
  }

  /// SQLite's own backup refuses pages of another size.
  @Test(arguments: [(8192, 4096), (4096, 8192)])
  func pagesMayHaveAnotherSize(_ theirs: Int, _ ours: Int) throws {
    let folder = try TemporaryFolder()
    let (source, target) = (folder.file("Source.sqlite"), folder.file("Target.sqlite"))
    let model = model()
    func pages(_ size: Int) -> [AnyHashable: Any] {
      [NSSQLitePragmasOption: ["page_size": size]]
    }
    try TestStore.make(source, model, options: pages(theirs))
    let expected = try StoreSnapshot(source, model)
    let before = try TestStore.open(target, model, options: pages(ours))
    _ = NSEntityDescription.insertNewObject(forEntityName: "Location", into: before)
    try before.save()
    // Others may have it open.
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.replacePersistentStore(
      at: target, withPersistentStoreFrom: source, type: .sqlite)
    #expect(try StoreSnapshot(target, model) == expected)
    #expect(try StoreChecker(target, model: model).findings() == [])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .filter { $0.hasPrefix(".momkit") } == [])
    try TestStore.close(before)
  }

  /// A store that is told its new place has what the program had set, and watches the new file.
  @Test func aRelocatedStoreGoesOn() throws {
    let folder = try TemporaryFolder()
    let (old, new) = (folder.file("Old.sqlite"), folder.file("New.sqlite"))
    let model = model()
    let history: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
    let watching = history.merging([
      NSPersistentStoreRemoteChangeNotificationPostOptionKey: true
    ]) { $1 }
    let context = try TestStore.open(old, model, options: watching)
    let coordinator = try #require(context.persistentStoreCoordinator)
    let store = try #require(coordinator.persistentStores.first)
    try coordinator.replacePersistentStore(
      at: new, withPersistentStoreFrom: old, type: .sqlite)
    coordinator.setMetadata(["mine": "m"], for: store)
    #expect(coordinator.setURL(new, for: store))
    #expect(coordinator.metadata(for: store)["mine"] as? String == "m")
    try context.save()
    let written = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: new)
    #expect(written["mine"] as? String == "m")

    let count = Mutex(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
    ) { _ in count.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(observer) }
    let theirs = try TestStore.open(new, model, options: history)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Location", into: theirs)
    try theirs.save()
    let deadline = Date(timeIntervalSinceNow: 10)
    while count.withLock({ $0 }) == 0, Date() < deadline { Thread.sleep(forTimeInterval: 0.02) }
    #expect(count.withLock { $0 } > 0)
  }
}

/// Counts the notifications that a store is going to be removed.
private final class RemovalCounter: Sendable {
  private let removals = Mutex(0)
  var count: Int { removals.withLock { $0 } }

  init(_ store: NSPersistentStore) {
    _ = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, queue: nil
    ) { [weak self] _ in self?.removals.withLock { $0 += 1 } }
  }
}
