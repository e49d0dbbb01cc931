import Foundation
import MomKit
import MomKitPostgreSQL

/// A program that increments counters in a store while others do the same and while the server is killed. Each step
/// adds 1 to one of a few counters and inserts a uniquely named mark in the same save. The sum of the counters must
/// therefore always equal the number of marks, and every acknowledged step must have its mark.
@main
struct SavingTrial {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count >= 2, let url = URL(string: words[1]) else { usage() }
    switch words[0] {
    case "make": try Counting(url, worker: "make", timeout: 30).makeCounters()
    case "run":
      guard words.count == 6, let steps = Int(words[3]), let seconds = Double(words[4]),
        let timeout = Double(words[5])
      else { usage() }
      try run(Counting(url, worker: words[2], timeout: timeout), steps: steps, seconds: seconds)
    case "check": try check(Counting(url, worker: "check", timeout: 30), words.dropFirst(2))
    default: usage()
    }
  }

  private static func usage() -> Never {
    print(
      """
      Usage: SavingTrial make URL
             SavingTrial run URL WORKER STEPS SECONDS TIMEOUT
             SavingTrial check URL FILE...

      run saves until the steps are done or the seconds are over, and prints what was acknowledged; check compares
      such files with the store.
      """)
    exit(64)
  }

  private static func run(_ trial: Counting, steps: Int, seconds: Double) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    let outcome = try trial.run(steps: steps, givesUp: false) { ContinuousClock.now > end }
    for mark in outcome.acknowledged.sorted() { print(mark) }
    let text =
      "\(outcome.acknowledged.count) saves, \(outcome.conflicts) conflicts, \(outcome.failures) "
      + "failures, the longest step \(outcome.longest)\n"
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  private static func check(_ trial: Counting, _ files: ArraySlice<String>) throws {
    let acknowledged = Set(
      try files.flatMap { try String(contentsOfFile: $0, encoding: .utf8).split(separator: "\n") }
        .map(String.init))
    let (sum, marks) = try trial.state()
    let lost = acknowledged.subtracting(marks)
    print(
      "\(marks.count) marks, sum \(sum), \(lost.count) lost, "
        + "\(marks.subtracting(acknowledged).count) saved but not acknowledged")
    guard lost.isEmpty, sum == marks.count else { exit(1) }
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
    /// The longest time that an attempt took, whatever came of it.
    public var longest = Duration.zero
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
  ///
  /// - Parameter givesUp: whether a step that fails 50 times is an error.
  public func run(
    steps: Int, givesUp: Bool = true, until isOver: () -> Bool = { false }
  ) throws -> Outcome {
    var outcome = Outcome()
    for step in 0..<steps where !isOver() {
      let name = "\(worker)-\(step)"
      for attempt in 0... {
        let start = ContinuousClock.now
        defer { outcome.longest = max(outcome.longest, ContinuousClock.now - start) }
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
          if givesUp {
            guard attempt < 50 else { throw error }
          } else if isOver() {
            return outcome
          }
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
