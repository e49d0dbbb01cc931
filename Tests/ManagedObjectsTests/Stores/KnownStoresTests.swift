import DataModels
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// What a context remembers of its coordinator's stores and connections, when these change.
@Suite struct KnownStoresTests {
  private func open(
    _ url: URL, rows: Int, poolSize: Int = 4
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = try coordinator()
    try add(url, to: coordinator, poolSize: poolSize)
    let context = TestStore.context(coordinator)
    for number in 0..<rows { make(number, in: context) }
    try context.save()
    return coordinator
  }

  private func coordinator() throws -> NSPersistentStoreCoordinator {
    let model = NSManagedObjectModel(
      of: [entity("Tile", [attribute("number", .integer32AttributeType)])])
    return NSPersistentStoreCoordinator(managedObjectModel: model)
  }

  private func add(
    _ url: URL, to coordinator: NSPersistentStoreCoordinator, poolSize: Int = 4
  ) throws {
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSPersistentStoreConnectionPoolMaxSizeKey: poolSize])
  }

  @discardableResult
  private func make(_ number: Int, in context: NSManagedObjectContext) -> NSManagedObject {
    let tile = NSEntityDescription.insertNewObject(forEntityName: "Tile", into: context)
    tile["number"] = number
    return tile
  }

  private func count(_ context: NSManagedObjectContext) throws -> Int {
    try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tile"))
  }

  private func connections(to file: URL) -> Int {
    let folder = "/proc/self/fd"
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return entries.count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == file.path
    }
  }

  @Test func contextsFollowStoresThatComeAndGo() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (folder.file("First.sqlite"), folder.file("Second.sqlite"))
    for store in try open(second, rows: 7).persistentStores {
      try store.persistentStoreCoordinator?.remove(store)
    }
    let coordinator = try open(first, rows: 3)
    let context = TestStore.context(coordinator)
    #expect(try count(context) == 3)
    let tile = try #require(
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tile")).first)
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    #expect(try count(context) == 0)
    context.refresh(tile, mergeChanges: false)
    #expect(throws: (any Error).self) { try context.existingObject(with: tile.objectID) }
    try add(second, to: coordinator)
    #expect(try count(context) == 7)
    try add(first, to: coordinator)
    #expect(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tile")).count == 10)
  }

  @Test func contextsReadWhereAStoreMoved() throws {
    let folder = try TemporaryFolder()
    let (file, copy) = (folder.file("Tiles.sqlite"), folder.file("Copy.sqlite"))
    let coordinator = try open(file, rows: 3)
    let context = TestStore.context(coordinator)
    #expect(try count(context) == 3)
    try coordinator.replacePersistentStore(
      at: copy, withPersistentStoreFrom: file, ofType: NSSQLiteStoreType)
    let other = try self.coordinator()
    try add(copy, to: other)
    let writer = TestStore.context(other)
    make(3, in: writer)
    try writer.save()
    #expect(try count(context) == 3)
    #expect(coordinator.setURL(copy, for: try #require(coordinator.persistentStores.first)))
    #expect(try count(context) == 4)
    #expect(connections(to: file) == 0)
  }

  @Test func aContextKeepsNoConnectionOfARemovedStoreOpen() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Tiles.sqlite")
    let coordinator = try open(file, rows: 3)
    let contexts = (0..<3).map { _ in TestStore.context(coordinator) }
    for context in contexts { #expect(try count(context) == 3) }
    #expect(connections(to: file) > 1)
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    #expect(connections(to: file) == 0)
    for context in contexts { #expect(try count(context) == 0) }
  }

  /// Contexts take turns with the connections that they used last.
  @Test func manyContextsShareFewConnections() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Tiles.sqlite")
    let coordinator = try open(file, rows: 3, poolSize: 2)
    let oddities = Mutex<[String]>([])
    let group = DispatchGroup()
    for number in 0..<6 {
      group.enter()
      let thread = Thread { [self] in
        let contexts = (0..<4).map { _ in TestStore.context(coordinator) }
        for step in 0..<200 {
          let found = (try? count(contexts[step % 4])) ?? -1
          if found != 3 { oddities.withLock { $0.append("\(number): \(found)") } }
        }
        group.leave()
      }
      thread.stackSize = 4 << 20
      thread.start()
    }
    group.wait()
    #expect(oddities.withLock { $0 } == [])
    #expect(connections(to: file) <= 3)
  }
}
