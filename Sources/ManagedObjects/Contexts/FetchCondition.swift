import DataModels
import Foundation
import PredicateFormat

/// The predicate of a request, asked of objects in memory as their stores would ask it of rows.
struct FetchCondition {
  private let predicate: NSPredicate
  private let program: PredicateProgram

  init(_ predicate: NSPredicate, _ rules: EvaluationRules) {
    self.predicate = predicate
    program = predicate.program(rules)
  }

  /// Whether an object satisfies the predicate.
  ///
  /// - Throws: ``NSCoreDataError`` where the predicate can't be answered: a bad pattern, values of unlike
  ///   types, a variable without a value, an unknown key. Foundation raises an exception there.
  func isSatisfied(by object: NSManagedObject) throws -> Bool {
    do {
      return try program.evaluate(object)
    } catch {
      throw CoreDataError.unanswerable(error, predicate.canonicalFormat)
    }
  }
}

extension RowQuery {
  /// Whether the predicate or the order asks for more of a row than its own values: for destinations, their
  /// values, or what nobody can see into.
  var readsOtherRows: Bool {
    let descriptors = sortDescriptors.contains { $0.key.map(leadsAway) ?? true }
    return descriptors || predicate.map { readsOtherRows($0.tree) } ?? false
  }

  private func readsOtherRows(_ tree: PredicateTree) -> Bool {
    var predicates = [tree]
    var expressions: [ExpressionTree] = []
    while let predicate = predicates.popLast() {
      switch predicate {
      case .value: break
      case .opaque: return true
      case .compound(_, let members): predicates += members
      case .comparison(let comparison): expressions += [comparison.left, comparison.right]
      }
    }
    while let expression = expressions.popLast() {
      switch expression {
      case .constant, .evaluatedObject, .variable: break
      case .aggregate(let elements): expressions += elements
      case .function(let function) where function.isBuiltIn: expressions += function.arguments
      case .keyPath(let path):
        guard path.operand == .evaluatedObject, !leadsAway(path.path) else { return true }
      default: return true
      }
    }
    return false
  }

  /// Whether a key path leads beyond the row.
  private func leadsAway(_ path: String) -> Bool {
    let keys = path.split(separator: ".", maxSplits: 1)
    guard let property = keys.first.flatMap({ layout.property(String($0)) }) else { return false }
    return property.isToMany || property.isRelationship && keys.count > 1
  }
}

extension CoreDataError {
  /// The error of a request whose predicate or expression can't be evaluated.
  static func unanswerable(_ error: PredicateFormatError, _ text: String) -> NSError {
    make(NSCoreDataError, "The predicate \(text) can't be evaluated: \(error.message).")
  }
}

extension NSManagedObjectContext {
  /// By which rules predicates over an entity's objects are evaluated in memory: those of the stores they
  /// are in, so that what is found doesn't depend on who looks.
  ///
  /// - Parameter asked: the stores that a request asks; nil for all.
  final func evaluationRules(
    for layout: EntityLayout, in asked: [NSPersistentStore]? = nil
  ) -> EvaluationRules {
    guard let stores = asked ?? persistentStoreCoordinator?.persistentStores else {
      return .memoryStore
    }
    for store in stores where store.holds(layout) {
      if let engine = try? store.requireEngine(), engine.answersLikeSQLite {
        return .sqliteStore
      }
    }
    return .memoryStore
  }

  /// The predicate of a query as it is asked of objects in memory; nil without one.
  final func condition(of query: RowQuery) -> FetchCondition? {
    query.predicate.map { FetchCondition($0, evaluationRules(for: query.layout, in: query.stores)) }
  }
}
