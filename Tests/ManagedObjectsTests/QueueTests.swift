import DataModels
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Nested queues. Main queue contexts have their own tests: `MainQueueTests`.
@Suite struct QueueTests {
  /// Runs `body` on its own thread; returns false if it hangs.
  private func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      done.signal()
    }
    return done.wait(timeout: .now() + 30) == .success
  }

  private func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    return child
  }

  @Test func siblingsWaitForEachOtherInsideOfEachOther() throws {
    let container = try Company.container()
    let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    let isDone = ends {
      let depth = one.performAndWait {
        other.performAndWait { one.performAndWait { other.performAndWait { 4 } } }
      }
      #expect(depth == 4)
    }
    #expect(isDone)
  }

  /// A child's fetches, faults and saves wait for its parents, whose queues the thread already holds.
  @Test func aChildSavesInsideOfItsParentsBlock() throws {
    let container = try Company.container()
    let root = container.newBackgroundContext()
    let parent = child(of: root)
    let grandchild = child(of: parent)
    let isDone = ends {
      root.performAndWait {
        parent.performAndWait {
          grandchild.performAndWait {
            let person = insert(PersonMO.self, "Person", grandchild)
            person.name = "Ada"
            #expect(throws: Never.self) { try grandchild.save() }
            let request = NSFetchRequest<PersonMO>(entityName: "Person")
            #expect((try? grandchild.fetch(request).first) === person)
          }
          #expect(throws: Never.self) { try parent.save() }
        }
        #expect(throws: Never.self) { try root.save() }
      }
      let reader = child(of: parent)
      let names = parent.performAndWait {
        reader.performAndWait {
          (try? reader.fetch(NSFetchRequest<PersonMO>(entityName: "Person")).map(\.name)) ?? []
        }
      }
      #expect(names == ["Ada"])
    }
    #expect(isDone)
  }

  @Test func blocksThatRunLaterMayWaitForTheirParents() throws {
    let container = try Company.container()
    let parent = container.newBackgroundContext()
    let children = (0..<8).map { _ in child(of: parent) }
    let group = DispatchGroup()
    for child in children {
      for _ in 0..<20 {
        group.enter()
        child.perform {
          insert(PersonMO.self, "Person", child).name = "x"
          try? child.save()
          parent.performAndWait { child.performAndWait { _ = child.registeredObjects.count } }
          group.leave()
        }
      }
    }
    #expect(group.wait(timeout: .now() + 30) == .success)
    #expect(parent.performAndWait { parent.insertedObjects.count } == 160)
  }

  @Test func aQueueIsHeldForItsBlockOnly() throws {
    let container = try Company.container()
    let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    let isDone = ends {
      one.performAndWait { #expect(one.queue.isCurrent && !other.queue.isCurrent) }
      #expect(!one.queue.isCurrent)
      struct Failure: Error {}
      #expect(throws: Failure.self) {
        try one.performAndWait { try other.performAndWait { throw Failure() } }
      }
      #expect(!one.queue.isCurrent && !other.queue.isCurrent)
    }
    #expect(isDone)
  }

  /// Whoever is notified of a store waits for a context, which waits for the stores.
  @Test func storesAreToldOfOutsideOfTheirTurns() throws {
    let container = try Company.container()
    let coordinator = container.persistentStoreCoordinator
    let background = container.newBackgroundContext()
    let names: [Notification.Name] = [
      .NSPersistentStoreCoordinatorStoresDidChange, .NSPersistentStoreCoordinatorWillRemoveStore,
    ]
    let heard = Heard()
    let observers = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
        let store = note.object as? NSPersistentStore
        guard
          note.object as? NSPersistentStoreCoordinator === coordinator
            || store?.persistentStoreCoordinator === coordinator
        else { return }
        let reader = DispatchSemaphore(value: 0)
        background.perform {
          _ = try? background.count(for: NSFetchRequest<PersonMO>(entityName: "Person"))
          reader.signal()
        }
        let isFree = reader.wait(timeout: .now() + 10) == .success
        heard.add(isFree ? name.rawValue : "hung", coordinator.persistentStores.count)
      }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    let added = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    try coordinator.remove(added)
    try coordinator.remove(added)
    #expect(heard.names == [names[0], names[1], names[0]].map(\.rawValue))
    #expect(heard.counts == [2, 2, 1])
  }

  /// Whoever is told of a moved store, or of what is saved meanwhile, may wait for a thread that saves.
  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType])
  func aMoveTellsOutsideOfItsTurn(type: String) throws {
    let folder = try TemporaryFolder()
    let container = try Company.container()
    let coordinator = container.persistentStoreCoordinator
    let source = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("a.sqlite"))
    try coordinator.remove(coordinator.persistentStores[0])
    let background = container.newBackgroundContext()
    let heard = Heard()
    let names: [Notification.Name] = [
      .NSPersistentStoreCoordinatorStoresDidChange, .NSPersistentStoreCoordinatorWillRemoveStore,
      .NSManagedObjectContextDidSave, .NSManagedObjectContextObjectsDidChange,
    ]
    let observers = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
        let owner =
          note.object as? NSPersistentStoreCoordinator
          ?? (note.object as? NSPersistentStore)?.persistentStoreCoordinator
          ?? (note.object as? NSManagedObjectContext)?.persistentStoreCoordinator
        guard owner === coordinator, note.object as? NSManagedObjectContext !== background else {
          return
        }
        let saver = DispatchSemaphore(value: 0)
        background.perform {
          coordinator.performAndWait {}
          saver.signal()
        }
        let isFree = saver.wait(timeout: .now() + 10) == .success
        heard.add(isFree ? name.rawValue : "hung", coordinator.persistentStores.count)
      }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    try Data("not a store".utf8).write(to: folder.file("c"))
    for url in [folder.file("a.sqlite"), folder.file("c")] {
      #expect(throws: NSError.self) {
        try coordinator.migratePersistentStore(source, to: url, withType: type)
      }
    }
    #expect(heard.names == [])
    try coordinator.migratePersistentStore(source, to: folder.file("b"), withType: type)
    #expect(heard.names == [names[1], names[0], names[0]].map(\.rawValue))
    #expect(coordinator.persistentStores.map(\.type) == [type])
  }

  /// Blocks run in the order in which they were submitted.
  @Test func theCoordinatorsBlocksHaveAnOrder() throws {
    let coordinator = try Company.container().persistentStoreCoordinator
    let heard = Heard()
    let done = DispatchSemaphore(value: 0)
    for number in 0..<500 {
      coordinator.perform {
        heard.add("", number)
        if number == 499 { done.signal() }
      }
    }
    #expect(done.wait(timeout: .now() + 30) == .success)
    coordinator.performAndWait {}
    #expect(heard.counts == Array(0..<500))
  }

  private final class Heard: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var names: [String] = []
    private(set) var counts: [Int] = []
    func add(_ name: String, _ count: Int) {
      lock.lock()
      defer { lock.unlock() }
      names.append(name)
      counts.append(count)
    }
  }
}
