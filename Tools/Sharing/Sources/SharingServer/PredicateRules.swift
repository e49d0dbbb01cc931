import Foundation
import MomKit
import SharedModel

/// Decides which predicates clients may use: comparisons of the model's properties with constants.
///
/// Functions, subqueries, variables and patterns are refused: none of them is needed to find objects, and each costs
/// time that the client decides on. Constants become what the property holds: text becomes a UUID, a number of
/// microseconds since 1970 a date.
struct PredicateRules {
  private let entity: NSEntityDescription
  private var comparisons = 0

  /// Returns the predicate of a question, or nil if it has none.
  static func predicate(_ question: FetchQuestion, _ entity: SharedEntity) throws -> NSPredicate? {
    let values = question.arguments ?? []
    guard let format = question.predicate else {
      guard values.isEmpty else {
        throw Refusal.malformed("There are arguments, but no predicate.")
      }
      return nil
    }
    guard format.utf8.count <= Limits.predicate, values.count <= Limits.arguments else {
      throw Refusal.malformed("The predicate is too long.")
    }
    let tree: PredicateTree
    do {
      tree = try PredicateTree(parsing: format, arguments: values.map(constant))
    } catch let error as PredicateFormatError {
      throw Refusal.malformed("The predicate: \(error)")
    }
    var rules = PredicateRules(entity: entity.entity)
    return try rules.admitted(tree, depth: 1).predicate
  }

  private init(entity: NSEntityDescription) { self.entity = entity }

  private static func constant(_ value: WireValue) -> PredicateValue {
    switch value {
    case .null: return .null
    case .bool(let flag): return .bool(flag)
    case .integer(let number): return .integer(number)
    case .number(let number): return .double(number)
    case .string(let text): return .string(text)
    case .list(let members): return .array(members.map(constant))
    }
  }

  private mutating func admitted(_ tree: PredicateTree, depth: Int) throws -> PredicateTree {
    guard depth <= Limits.predicateDepth else {
      throw Refusal.malformed("The predicate is nested too deeply.")
    }
    switch tree {
    case .value: return tree
    case .compound(let kind, let members):
      return .compound(kind, try members.map { try admitted($0, depth: depth + 1) })
    case .comparison(let comparison): return .comparison(try admitted(comparison))
    case .opaque: throw Refusal.malformed("The predicate is of a kind that isn't supported.")
    }
  }

  private mutating func admitted(
    _ comparison: PredicateTree.Comparison
  ) throws -> PredicateTree.Comparison {
    comparisons += 1
    guard comparisons <= Limits.predicateComparisons else {
      throw Refusal.malformed("The predicate has too many comparisons.")
    }
    guard case .keyPath(let path) = comparison.left, path.operand == .evaluatedObject else {
      throw Refusal.malformed("A comparison begins with a property.")
    }
    let (property, isToMany) = try property(path.path)
    guard isToMany != (comparison.modifier == .direct) else {
      throw Refusal.malformed(
        "ANY and ALL belong before properties of many objects, and only there.")
    }
    let constants = try constants(comparison.right)
    let type = (property as? NSAttributeDescription)?.attributeType
    let isOrdered = type != .booleanAttributeType && type != .binaryDataAttributeType
    switch comparison.type {
    case .equalTo, .notEqualTo: try require(constants.isSingle, "==")
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      try require(constants.isSingle && isOrdered, "<")
    case .beginsWith, .endsWith, .contains:
      try require(constants.isSingle && type == .stringAttributeType, "CONTAINS")
    case .in: try require(!constants.isSingle, "IN")
    case .between:
      try require(!constants.isSingle && constants.values.count == 2 && isOrdered, "BETWEEN")
    case .matches, .like, .customSelector:
      throw Refusal.malformed("MATCHES, LIKE and custom selectors aren't supported.")
    }
    let values = try constants.values.map { try value($0, for: property, type) }
    var admitted = comparison
    admitted.right = .constant(constants.isSingle ? values[0] : .array(values))
    return admitted
  }

  private func require(_ isSo: Bool, _ name: String) throws {
    guard isSo else {
      throw Refusal.malformed("A property is compared by \(name) with what it can't be.")
    }
  }

  /// Returns the property that a key path leads to, and whether it does by a to-many relationship.
  private func property(_ path: String) throws -> (NSPropertyDescription, isToMany: Bool) {
    let keys = path.split(separator: ".", omittingEmptySubsequences: false)
    var place: NSEntityDescription? = entity
    var found: NSPropertyDescription?
    var isToMany = false
    for key in keys.prefix(Limits.keyPath + 1) {
      found = place?.propertiesByName[String(key)]
      let relationship = found as? NSRelationshipDescription
      place = relationship?.destinationEntity
      isToMany = isToMany || relationship?.isToMany ?? false
    }
    guard let found, keys.count <= Limits.keyPath else {
      throw Refusal.malformed("There is no property \(path.prefix(100)).")
    }
    return (found, isToMany)
  }

  /// Returns the constant on the right of a comparison, or those in its list.
  private func constants(
    _ side: ExpressionTree
  ) throws -> (values: [PredicateValue], isSingle: Bool) {
    let values: [PredicateValue]
    switch side {
    case .constant(.array(let members)): values = members
    case .constant(let value): return ([value], true)
    case .aggregate(let members):
      values = try members.map {
        guard case .constant(let value) = $0 else {
          throw Refusal.malformed("Lists in predicates contain constants only.")
        }
        return value
      }
    default:
      throw Refusal.malformed("A comparison ends with a constant, or a list of constants.")
    }
    guard values.count <= Limits.arguments else {
      throw Refusal.malformed("A list in the predicate is too long.")
    }
    return (values, false)
  }

  /// Returns a constant as a value of the property.
  private func value(
    _ constant: PredicateValue, for property: NSPropertyDescription, _ type: NSAttributeType?
  ) throws -> PredicateValue {
    let wire: WireValue
    switch constant {
    case .null, .nsNull: return .null
    case .bool(let flag): wire = .bool(flag)
    // `isDone == 1`
    case .integer(let number) where type == .booleanAttributeType && (0...1).contains(number):
      wire = .bool(number == 1)
    case .integer(let number): wire = .integer(number)
    case .double(let number): wire = .number(number)
    case .string(let text): wire = .string(text)
    default: throw Refusal.malformed("\(property.name) is compared with an unsupported value.")
    }
    guard let type else {
      throw Refusal.malformed("The relationship \(property.name) can only be compared with nil.")
    }
    do {
      switch try wire.value(type) {
      case let identifier as UUID: return .uuid(identifier)
      case let date as Date: return .date(date)
      case let bytes as Data: return .data(bytes)
      default: return constant
      }
    } catch let error as WireValue.Mismatch {
      throw Refusal.malformed("What \(property.name) is compared with \(error.text).")
    }
  }
}
