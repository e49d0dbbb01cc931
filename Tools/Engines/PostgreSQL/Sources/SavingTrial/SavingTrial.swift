import Foundation
import MomKit
import MomKitPostgreSQL

/// A program that increments counters in a store while others do the same and while the server is killed. Each step
/// adds 1 to one of a few counters and inserts a uniquely named mark in the same save. The sum of the counters must
/// therefore always equal the number of marks, and every acknowledged step must have its mark.
@main
struct SavingTrial {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let url = URL(string: arguments[1]), let steps = Int(arguments[3])
    else {
      print("Usage: SavingTrial URL WORKER STEPS")
      exit(64)
    }
    let outcome = try Counting(url, worker: arguments[2], timeout: 60).run(steps: steps)
    print("\(outcome.acknowledged.count) \(outcome.conflicts)")
  }
}

/// One worker.
public struct Counting {
  /// The results of a worker.
  public struct Outcome: Sendable {
    /// The marks of the steps whose saves succeeded.
    public var acknowledged: Set<String> = []
    /// The number of saves that met a conflict.
    public var conflicts = 0
    /// The number of saves that failed for another reason.
    public var failures = 0
  }

  /// The number of counters.
  public static let counterCount = 4

  private let coordinator: NSPersistentStoreCoordinator
  private let worker: String

  /// Returns the model: counters and marks.
  public static func model() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, false)
      return attribute
    }
    let counter = NSEntityDescription()
    counter.name = "Counter"
    let count = attribute("count", .integer64AttributeType)
    count.defaultValue = 0
    counter.properties = [attribute("name", .stringAttributeType), count]
    counter.uniquenessConstraints = [["name"]]
    let mark = NSEntityDescription()
    mark.name = "Mark"
    mark.properties = [attribute("step", .stringAttributeType)]
    mark.uniquenessConstraints = [["step"]]
    let model = NSManagedObjectModel()
    model.entities = [counter, mark]
    return model
  }

  /// Opens the store.
  public init(_ url: URL, worker: String, timeout: Double) throws {
    PostgreSQLStore.register()
    self.worker = worker
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
    try coordinator.addPersistentStore(
      type: .postgreSQL, at: url,
      options: [
        NSPersistentStoreTimeoutOption: timeout, NSPersistentStoreConnectionPoolMaxSizeKey: 64,
      ])
  }

  private func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Inserts the counters.
  public func makeCounters() throws {
    let context = context()
    for number in 0..<Self.counterCount {
      let counter = NSEntityDescription.insertNewObject(forEntityName: "Counter", into: context)
      counter.setValue("c\(number)", forKey: "name")
    }
    try context.save()
  }

  /// Performs the given number of steps, retrying each until it is in the store.
  public func run(steps: Int, until isOver: () -> Bool = { false }) throws -> Outcome {
    var outcome = Outcome()
    for step in 0..<steps where !isOver() {
      let name = "\(worker)-\(step)"
      for attempt in 0... {
        do {
          if attempt > 0, try isMarked(name) {
            outcome.acknowledged.insert(name)
            break
          }
          try self.step(name, counter: Int.random(in: 0..<Self.counterCount))
          outcome.acknowledged.insert(name)
          break
        } catch let error as NSError
          where [NSManagedObjectMergeError, NSManagedObjectConstraintMergeError].contains(
            error.code)
        {
          outcome.conflicts += 1
        } catch {
          outcome.failures += 1
          guard attempt < 50 else { throw error }
          usleep(50_000)
        }
      }
    }
    return outcome
  }

  private func step(_ name: String, counter: Int) throws {
    let context = context()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Counter")
    request.predicate = NSPredicate(format: "name == %@", "c\(counter)")
    guard let object = try context.fetch(request).first else { return }
    object.setValue((object.value(forKey: "count") as? Int ?? 0) + 1, forKey: "count")
    NSEntityDescription.insertNewObject(forEntityName: "Mark", into: context)
      .setValue(name, forKey: "step")
    try context.save()
  }

  private func isMarked(_ name: String) throws -> Bool {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Mark")
    request.predicate = NSPredicate(format: "step == %@", name)
    return try context().count(for: request) > 0
  }

  /// Returns the sum of the counters and the existing marks.
  public func state() throws -> (sum: Int, marks: Set<String>) {
    let context = context()
    let counters = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Counter"))
    let marks = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Mark"))
    return (
      counters.reduce(0) { $0 + ($1.value(forKey: "count") as? Int ?? 0) },
      Set(marks.compactMap { $0.value(forKey: "step") as? String })
    )
  }
}
