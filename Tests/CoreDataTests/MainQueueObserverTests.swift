import CoreData
import Foundation
import Synchronization
import Testing

/// Observers with blocks on the main queue, where tests have no main thread.
@Suite struct MainQueueObserverTests {
  private final class Told: Sendable {
    let onMain = Mutex<[Bool]>([])
  }

  @MainActor @Test(.timeLimit(.minutes(1)))
  func `a notification posted on the main actor runs the block at once`() {
    let (name, told) = (Notification.Name("Test.\(UUID())"), Told())
    let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) {
      _ in
      MainActor.assumeIsolated { told.onMain.withLock { $0.append(true) } }
    }
    NotificationCenter.default.post(name: name, object: nil)
    #expect(told.onMain.withLock { $0 } == [true])
    NotificationCenter.default.removeObserver(token)
    NotificationCenter.default.post(name: name, object: nil)
    #expect(told.onMain.withLock { $0 }.count == 1)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a notification posted elsewhere waits for the main queue`() async {
    let (name, told) = (Notification.Name("Test.\(UUID())"), Told())
    let token = NotificationCenter.default.addObserver(
      forName: name, object: nil, queue: OperationQueue.main
    ) { _ in
      MainActor.assumeIsolated { told.onMain.withLock { $0.append(true) } }
    }
    NotificationCenter.default.post(name: name, object: nil)
    #expect(told.onMain.withLock { $0 } == [true])
    NotificationCenter.default.removeObserver(token)
  }

  @MainActor @Test(.timeLimit(.minutes(1)))
  func `a context's changes reach an observer on the main queue`() throws {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let container = NSPersistentContainer(name: "Main", managedObjectModel: model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let (context, told) = (container.viewContext, Told())
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: .main
    ) { _ in told.onMain.withLock { $0.append(true) } }
    _ = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    context.processPendingChanges()
    #expect(told.onMain.withLock { $0 } == [true])
    NotificationCenter.default.removeObserver(token)
  }
}
