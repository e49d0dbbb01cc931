import DataModels
import Foundation
import PredicateFormat

/// A request's predicate, evaluated over objects in memory by the same rules as their stores apply to rows.
struct FetchCondition {
  private let predicate: NSPredicate
  private let program: PredicateProgram
  /// What an object must have in slots to satisfy the predicate, as far as the predicate tells it.
  let needs: [UnsavedIndex.Needed]

  init(_ predicate: NSPredicate, of layout: EntityLayout, _ rules: EvaluationRules) {
    self.predicate = predicate
    program = predicate.program(rules)
    needs = UnsavedIndex.Needed.all(of: predicate.tree, layout)
  }

  /// The objects that satisfy the predicate. Objects with another value than a needed one are skipped without evaluating
  /// it.
  ///
  /// - Throws: as ``isSatisfied(by:)``.
  func satisfied(
    among objects: [NSManagedObject], where isMeant: (NSManagedObject) -> Bool
  ) throws -> [NSManagedObject] {
    var found: [NSManagedObject] = []
    try objects.visit { object in
      if !object.isFault {
        for needed in needs where object.layout.valueCount > needed.slot {
          let value = object.currentValue(at: needed.slot)
          if !value.isNull, !needed.mayBe(value) { return }
        }
      }
      if isMeant(object), try isSatisfied(by: object) { found.append(object) }
    }
    return found
  }

  /// Whether an object satisfies the predicate.
  ///
  /// - Throws: ``NSCoreDataError`` if the predicate can't be evaluated: for an invalid pattern, values of
  ///   incompatible types, an unbound variable or an unknown key. Foundation raises an exception in these cases.
  func isSatisfied(by object: NSManagedObject) throws -> Bool {
    do {
      return try program.evaluate(object)
    } catch {
      throw CoreDataError.unanswerable(error, predicate.canonicalFormat)
    }
  }
}

extension RowQuery {
  /// Whether the predicate or the sort order needs more than the row's own values: destinations, their values, or
  /// expressions that can't be analyzed.
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
  /// The error for a request whose predicate or expression can't be evaluated.
  static func unanswerable(_ error: PredicateFormatError, _ text: String) -> NSError {
    make(NSCoreDataError, "The predicate \(text) can't be evaluated: \(error.message).")
  }
}

extension NSManagedObjectContext {
  /// The rules for evaluating predicates over an entity's objects in memory: those of the stores they are in, so that
  /// results don't depend on where a predicate is evaluated.
  ///
  /// - Parameter asked: the stores that a request names; nil for all.
  final func evaluationRules(
    for layout: EntityLayout, in asked: [NSPersistentStore]? = nil
  ) -> EvaluationRules {
    guard let stores = asked ?? persistentStoreCoordinator?.persistentStores else {
      return .memoryStore
    }
    for store in stores where store.mayHaveRows(of: layout) {
      if let engine = try? store.requireEngine(), engine.answersLikeSQLite {
        return .sqliteStore
      }
    }
    return .memoryStore
  }

  /// A query's predicate for evaluation in memory; nil if it has none.
  final func condition(of query: RowQuery) -> FetchCondition? {
    query.predicate.map {
      FetchCondition($0, of: query.layout, evaluationRules(for: query.layout, in: query.stores))
    }
  }
}
