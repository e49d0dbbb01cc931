import DataModels
import Foundation
import ModelEvolution

/// Measures differences, merges and histories of large models. Exits with status 1 if a limit is exceeded.
///
/// Run it with `swift run -c release --package-path Tools EvolutionBenchmark`.
@main
enum EvolutionBenchmark {
  /// A piece of work and its time limit in seconds.
  private struct Task {
    let name: String
    let limit: Double
    let body: () throws -> Void
  }

  static func main() throws {
    let base = model(entities: 1000, properties: 16)
    let ours = edited(base, step: 7, tag: "ours")
    let theirs = edited(base, step: 11, tag: "theirs")
    let unrelated = model(entities: 1000, properties: 16, prefix: "Other")
    let versions = (1...100).map { number in
      (name: "V\(number)", model: edited(base, step: 97, tag: "v\(number)"))
    }
    let history = VersionedModel(versions, currentVersionName: "V100")
    let smallBase = model(entities: 100, properties: 16)
    let small = VersionedModel(
      (1...100).map { (name: "V\($0)", model: edited(smallBase, step: 13, tag: "v\($0)")) },
      currentVersionName: "V100")
    let tasks = [
      Task(name: "difference of a model with itself", limit: 0.5) {
        precondition(ModelDifference(from: base, to: base).isEmpty)
      },
      Task(name: "difference with an edited model", limit: 0.5) {
        precondition(!ModelDifference(from: base, to: ours).isEmpty)
      },
      Task(name: "difference of unrelated models", limit: 0.5) {
        precondition(!ModelDifference(from: base, to: unrelated).isEmpty)
      },
      Task(name: "three-way merge", limit: 0.5) {
        let merge = try ModelMerge(base: base, ours: ours, theirs: theirs)
        precondition(merge.conflicts.isEmpty)
      },
      Task(name: "migration verdict", limit: 0.5) {
        precondition(MigrationVerdict(from: base, to: ours).outcome == .lightweight)
      },
      Task(name: "steps of 100 versions", limit: 5) { precondition(history.steps.count == 99) },
      Task(name: "migration plan of 100 versions of 100 entities", limit: 5) {
        let plan = try MigrationPlan(for: small)
        precondition(plan.routes.count == 99)
      },
    ]
    var isSlow = false
    for task in tasks {
      let seconds = try best(of: 3, task.body)
      let verdict = seconds <= task.limit ? "ok" : "TOO SLOW"
      if seconds > task.limit { isSlow = true }
      print("\(format(seconds)) s  of \(format(task.limit)) s  \(verdict)  \(task.name)")
    }
    exit(isSlow ? 1 : 0)
  }

  private static func best(of count: Int, _ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<count {
      let start = ContinuousClock.now
      try body()
      let elapsed = (ContinuousClock.now - start).components
      best = min(best, Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
    }
    return best
  }

  private static func format(_ seconds: Double) -> String {
    let thousandths = Int((seconds * 1000).rounded())
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  /// Returns a model whose entities have attributes and a pair of relationships to the next entity.
  private static func model(
    entities count: Int, properties: Int, prefix: String = "Entity"
  ) -> NSManagedObjectModel {
    let entities = (0..<count).map { number in
      let entity = NSEntityDescription()
      entity.name = "\(prefix)\(number)"
      entity.properties = (0..<(properties - 2)).map { place in
        let attribute = NSAttributeDescription()
        attribute.name = "attribute\(place)"
        attribute.type = place % 2 == 0 ? .string : .integer64
        return attribute
      }
      return entity
    }
    for (number, entity) in entities.enumerated() {
      let next = entities[(number + 1) % count]
      let forward = NSRelationshipDescription()
      forward.name = "next"
      forward.maxCount = 1
      forward.destinationEntity = next
      let back = NSRelationshipDescription()
      back.name = "previous"
      back.destinationEntity = entity
      forward.inverseRelationship = back
      back.inverseRelationship = forward
      entity.properties.append(forward)
      next.properties.append(back)
    }
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  /// Returns a copy in which every nth entity is edited: one attribute added, one renamed, one changed.
  private static func edited(
    _ base: NSManagedObjectModel, step: Int, tag: String
  ) -> NSManagedObjectModel {
    let model = base.copy() as? NSManagedObjectModel ?? base
    for entity in model.entities.enumerated().filter({ $0.offset % step == 1 }).map(\.element) {
      let added = NSAttributeDescription()
      added.name = "\(tag)Added"
      added.type = .date
      entity.properties.append(added)
      entity.attributesByName["attribute\(step % 7)"]?.userInfo = [tag: "note"]
      if let renamed = entity.attributesByName["attribute\(step % 5 + 7)"] {
        renamed.renamingIdentifier = renamed.name
        renamed.name = "\(tag)Renamed"
      }
    }
    return model
  }
}
