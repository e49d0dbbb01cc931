import DataModels
import Foundation
import PredicateFormat

/// The aggregates over all of an entity's objects in a request's predicate, such as `number == max(number)`, which asks
/// for the object with the greatest number.
///
/// A function of one object's single value says nothing, and public code means the entity by it. Apple documents neither;
/// Core Data's SQLite stores presumably select the maximum of the table, which the rest of the predicate doesn't narrow.
/// The aggregates are computed before the request, and stand in its predicate as constants: every kind of store and the
/// evaluation in memory find the same. Those inside a `SUBQUERY` stay functions of one value.
struct EntityAggregates {
  private let predicate: PredicateTree
  private let layout: EntityLayout
  private let expressions: [ExpressionTree]

  /// The aggregates of a predicate; nil if it has none, as nearly always.
  init?(_ predicate: NSPredicate?, of layout: EntityLayout) {
    guard let tree = predicate?.tree, Self.mayCall(tree) else { return nil }
    var found: [ExpressionTree] = []
    _ = tree.replacing { expression in
      guard Self.isAggregate(expression, layout) else { return nil }
      if !found.contains(expression) { found.append(expression) }
      return expression
    }
    guard !found.isEmpty else { return nil }
    (self.predicate, self.layout, expressions) = (tree, layout, found)
  }

  /// The request for one dictionary, which has the aggregates under the names of their indexes.
  var request: NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = layout.entity
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = expressions.enumerated().map { index, expression in
      let column = NSExpressionDescription()
      column.name = String(index)
      column.expression = NSExpression(expression)
      return column
    }
    return request
  }

  /// The predicate with the aggregates' values. One may be without a value, as the maximum of nothing: as in SQL, a
  /// comparison with it is neither true nor false.
  func predicate(with values: NSDictionary?) -> NSPredicate {
    let constants = expressions.indices.map { index in
      ExpressionTree.constant(PredicateValue(bridging: values?[String(index)]))
    }
    return KnownAggregates(Dictionary(uniqueKeysWithValues: zip(expressions, constants)))
      .resolved(predicate).predicate
  }

  private static func isAggregate(_ expression: ExpressionTree, _ layout: EntityLayout) -> Bool {
    guard let (function, argument) = DictionaryPlan.aggregate(expression, layout),
      function != .count
    else { return false }
    return isOneValue(argument, layout)
  }

  /// Whether an expression is computed from an object's attributes alone, so that it has one value for each object.
  ///
  /// An aggregate in another's argument is computed first: there, it is a constant afterwards.
  private static func isOneValue(_ argument: ExpressionTree, _ layout: EntityLayout) -> Bool {
    var (hasAttribute, isOther) = (false, false)
    _ = argument.replacing { part in
      switch part {
      case .keyPath(let path)
      where path.operand == .evaluatedObject && layout.hasSingleValue(atEndOf: path.path):
        hasAttribute = true
      case .function(let function)
      where function.isBuiltIn && DictionaryPlan.aggregate(part, layout) == nil:
        break
      case .constant, .aggregate, .conditional: break
      default: isOther = true
      }
      return nil
    }
    return hasAttribute && !isOther
  }

  /// Whether a predicate calls a function at all, found without making anything.
  private static func mayCall(_ tree: PredicateTree) -> Bool {
    switch tree {
    case .value, .opaque: false
    case .compound(_, let members): members.contains(where: mayCall)
    case .comparison(let comparison): mayCall(comparison.left) || mayCall(comparison.right)
    }
  }

  private static func mayCall(_ tree: ExpressionTree) -> Bool {
    switch tree {
    case .function, .conditional: true
    case .keyPath(let path): path.operand == .evaluatedObject && path.path.hasPrefix("@")
    case .aggregate(let elements): elements.contains(where: mayCall)
    default: false
    }
  }
}

extension EntityLayout {
  /// Whether a path of to-one relationships leads to an attribute, or a composite's element, whose values have an order.
  fileprivate func hasSingleValue(atEndOf path: String) -> Bool {
    switch attribute(atEndOf: path)?.attributeType {
    case nil, .undefinedAttributeType, .transformableAttributeType, .compositeAttributeType,
      .binaryDataAttributeType:
      false
    default: true
    }
  }

  private func attribute(atEndOf path: String) -> NSAttributeDescription? {
    var layout = self
    var keys = path.split(separator: ".")[...]
    if keys.first == "self" || keys.first == "SELF" { keys.removeFirst() }
    while let key = keys.popFirst() {
      guard let property = layout.propertiesByName[String(key)], !property.isToMany else {
        return nil
      }
      guard property.isRelationship else {
        return (property.description as? NSAttributeDescription)?.element(atEndOf: keys)
      }
      guard let next = property.destination else { return nil }
      layout = next
    }
    return nil
  }
}

extension NSAttributeDescription {
  /// The element of a composite that keys lead to, which may be in further ones; without keys the attribute itself.
  fileprivate func element(atEndOf keys: ArraySlice<Substring>) -> NSAttributeDescription? {
    var element: NSAttributeDescription? = self
    for key in keys {
      element = (element as? NSCompositeAttributeDescription)?.elements.first { $0.name == key }
    }
    return element
  }
}

extension NSManagedObjectContext {
  /// A query whose predicate has the values of its aggregates over the whole entity.
  ///
  /// - Parameters:
  ///   - includesPendingChanges: whether the context's unsaved objects count.
  ///   - depth: how many aggregates in each other's arguments are computed at most: one with a constant that isn't equal to
  ///     itself (no number) would be found again for ever.
  final func resolvingAggregates(
    of query: RowQuery, includesPendingChanges: Bool, depth: Int = 16
  ) throws -> RowQuery {
    guard depth > 0, let aggregates = EntityAggregates(query.predicate, of: query.layout) else {
      return query
    }
    let request = aggregates.request
    request.includesSubentities = query.includesSubentities
    request.affectedStores = query.stores
    let values: NSDictionary?
    if includesPendingChanges, hasPendingChanges(of: query) {
      let plan = try DictionaryPlan(request, layout: query.layout)
      let all = NSFetchRequest<NSManagedObject>(request)
      all.resultType = .managedObjectResultType
      all.propertiesToFetch = nil
      all.includesPendingChanges = true
      values = try DictionaryEvaluator(plan, evaluationRules(for: query.layout, in: query.stores))
        .dictionaries(try fetchObjects(all), sortedBy: [], offset: 0, limit: 0).first
    } else {
      values = try fetchDictionaries(request).first
    }
    var resolved = query
    resolved.predicate = aggregates.predicate(with: values)
    // Aggregates that had others in their arguments have constants there now.
    return try resolvingAggregates(
      of: resolved, includesPendingChanges: includesPendingChanges, depth: depth - 1)
  }
}
