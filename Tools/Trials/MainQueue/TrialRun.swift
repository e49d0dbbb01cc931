import Foundation
import MomKit
import Synchronization

/// One run of a trial: its Core Data stack and its results.
final class TrialRun: Sendable {
  let container: NSPersistentContainer
  private let failures = Mutex(0)

  init() {
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    let person = NSEntityDescription()
    person.name = "Person"
    person.properties = [name]
    let model = NSManagedObjectModel()
    model.entities = [person]
    let container = NSPersistentContainer(name: "Trial", managedObjectModel: model)
    do {
      try container.persistentStoreCoordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
    } catch {
      print("WRONG: the store doesn't open: \(error)")
      exit(2)
    }
    self.container = container
  }

  var view: NSManagedObjectContext { container.viewContext }

  /// Returns a child context with its own queue.
  func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    return child
  }

  /// Prints an expectation and whether it is met.
  func expect(_ isSo: Bool, _ what: String) {
    print(isSo ? "as it should be: \(what)" : "WRONG: \(what)")
    if !isSo { failures.withLock { $0 += 1 } }
  }

  /// Runs the main run loop until a condition holds or ten seconds have passed.
  func turn(until isSo: () -> Bool) {
    let end = Date() + 10
    while !isSo(), Date() < end { RunLoop.main.run(until: Date() + 0.01) }
  }

  func finish() -> Never {
    let count = failures.withLock { $0 }
    print(count == 0 ? "all as it should be" : "\(count) wrong")
    exit(count == 0 ? 0 : 1)
  }
}

extension NSManagedObjectContext {
  /// Inserts a person.
  @discardableResult
  func person(_ name: String) -> NSManagedObject {
    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: self)
    person.setValue(name, forKey: "name")
    return person
  }

  /// Returns the sorted names of all people.
  func names() throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try fetch(request).map { $0.value(forKey: "name") as? String ?? "" }
  }
}

/// A counter shared by several threads.
final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add(_ number: Int = 1) { count.withLock { $0 += number } }
}

/// Observes a context's notifications until it is deallocated.
final class Listener {
  private let token: any NSObjectProtocol

  init(
    _ name: Notification.Name, _ context: NSManagedObjectContext,
    _ body: @escaping @Sendable (Notification) -> Void
  ) {
    token = NotificationCenter.default.addObserver(
      forName: name, object: context, queue: nil, using: body)
  }

  deinit { NotificationCenter.default.removeObserver(token) }
}
