import Foundation
import MomKit
import Synchronization

/// One run of a trial: its stack of objects, and what it finds right or wrong.
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

  /// A context with a queue of its own, and a parent.
  func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    return child
  }

  /// Prints what ought to be so, and whether it is.
  func expect(_ isSo: Bool, _ what: String) {
    print(isSo ? "as it should be: \(what)" : "WRONG: \(what)")
    if !isSo { failures.withLock { $0 += 1 } }
  }

  /// Runs the main run loop until something is so, or ten seconds have passed.
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
  /// Makes a person.
  @discardableResult
  func person(_ name: String) -> NSManagedObject {
    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: self)
    person.setValue(name, forKey: "name")
    return person
  }

  /// The names of all people, in their order.
  func names() throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try fetch(request).map { $0.value(forKey: "name") as? String ?? "" }
  }
}

/// A number that several threads count.
final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add(_ number: Int = 1) { count.withLock { $0 += number } }
}

/// Hears of a context's notifications until it goes.
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
