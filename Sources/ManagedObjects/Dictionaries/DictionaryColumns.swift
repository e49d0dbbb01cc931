import DataModels
import Foundation
import PredicateFormat

/// Parses the properties listed in a request for dictionaries.
struct DictionaryColumns {
  private let layout: EntityLayout

  init(_ layout: EntityLayout) { self.layout = layout }

  /// The default columns: every persistent attribute.
  var standard: [DictionaryPlan.Column] {
    layout.values.filter { $0.kind != .toOne && !$0.isTransient }.map { property in
      DictionaryPlan.Column(
        name: property.name, value: .key(property.name), type: property.attributeType,
        isAggregate: false)
    }
  }

  /// The column for a name, a property description or an expression description.
  func column(_ property: Any) throws -> DictionaryPlan.Column {
    switch property {
    case let expression as NSExpressionDescription: return try column(expression)
    case let description as NSPropertyDescription: return try column(path: description.name)
    case let name as String: return try column(path: name)
    default:
      throw CoreDataError.make(
        NSCoreDataError, "propertiesToFetch contains \(property), which isn't a property.")
    }
  }

  private func column(path: String) throws -> DictionaryPlan.Column {
    let isOperator = path.contains("@")
    if !isOperator { try check(path) }
    let value = ExpressionTree.key(path)
    return DictionaryPlan.Column(
      name: path, value: value, type: type(of: value),
      isAggregate: DictionaryPlan.aggregate(value, layout) != nil)
  }

  private func column(_ description: NSExpressionDescription) throws -> DictionaryPlan.Column {
    let value = description.expression?.tree ?? .evaluatedObject
    try checkFunctions(of: value)
    let given = description.expressionResultType
    return DictionaryPlan.Column(
      name: description.name, value: value,
      type: given == .undefinedAttributeType ? type(of: value) : given,
      isAggregate: containsAggregate(value))
  }

  /// Checks that a path exists and doesn't pass through a to-many relationship.
  private func check(_ path: String) throws {
    var current = layout
    let keys = path.split(separator: ".").map(String.init)
    for (index, key) in keys.enumerated() {
      if ["self", "SELF", "objectID"].contains(key) { continue }
      guard let property = current.propertiesByName[key] else {
        throw CoreDataError.make(
          NSCoreDataError, "keypath \(path) not found in entity \(layout.name)")
      }
      guard !property.isToMany, property.kind != .fetched else {
        throw CoreDataError.make(
          NSCoreDataError, "Invalid to-many relationship in setPropertiesToFetch: (\(path))")
      }
      guard index < keys.count - 1 else { return }
      guard let next = property.destination else { return }
      current = next
    }
  }

  /// Refuses statistics over the rows that stores don't compute, as Core Data does: row by row they mean nothing.
  private func checkFunctions(of tree: ExpressionTree) throws {
    _ = try tree.replacing { part in
      if case .function(let function) = part, function.isBuiltIn,
        ["stddev:", "median:", "mode:"].contains(function.selector),
        case .keyPath? = function.arguments.first
      {
        throw CoreDataError.make(
          NSCoreDataError, "Unsupported function expression \(part.canonicalFormat)")
      }
      return nil
    }
  }

  /// Whether there is an aggregate anywhere in an expression, also in a list or a condition.
  private func containsAggregate(_ tree: ExpressionTree) -> Bool {
    var isFound = false
    _ = tree.replacing { part in
      if DictionaryPlan.aggregate(part, layout) != nil { isFound = true }
      return nil
    }
    return isFound
  }

  // MARK: Types

  /// The type of an expression's values, as far as the model determines it.
  private func type(of tree: ExpressionTree) -> NSAttributeType {
    if let (function, argument) = DictionaryPlan.aggregate(tree, layout) {
      return type(of: function, type(of: argument))
    }
    switch tree {
    case .evaluatedObject: return .objectIDAttributeType
    case .keyPath(let path) where path.operand == .evaluatedObject: return type(ofPath: path.path)
    case .function(let function):
      switch function.selector {
      case "count:", "length:": return .integer64AttributeType
      case "uppercase:", "lowercase:", "canonical:": return .stringAttributeType
      case "now": return .dateAttributeType
      default: return .undefinedAttributeType
      }
    default: return .undefinedAttributeType
    }
  }

  private func type(
    of function: DictionaryPlan.Aggregate, _ argument: NSAttributeType
  ) -> NSAttributeType {
    switch function {
    case .count: return .integer64AttributeType
    case .min, .max: return argument
    case .sum, .average: return argument.aggregated(isSum: function == .sum)
    }
  }

  private func type(ofPath path: String) -> NSAttributeType {
    if path.hasSuffix("@count") { return .integer64AttributeType }
    var current = layout
    let keys = path.split(separator: ".").map(String.init)
    for (index, key) in keys.enumerated() {
      if ["self", "SELF", "objectID"].contains(key) { return .objectIDAttributeType }
      guard let property = current.propertiesByName[key] else { return .undefinedAttributeType }
      if index == keys.count - 1 {
        return property.kind == .toOne ? .objectIDAttributeType : property.attributeType
      }
      guard property.kind == .toOne, let next = property.destination else {
        return .undefinedAttributeType
      }
      current = next
    }
    return .undefinedAttributeType
  }
}
