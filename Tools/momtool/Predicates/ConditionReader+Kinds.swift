import DataModels
import Foundation
import PredicateFormat

/// The kinds of expressions.
extension ConditionReader {
  func kind(of tree: ExpressionTree, _ scope: Scope) throws -> ConditionKind {
    switch tree {
    case .evaluatedObject: return scope["SELF"].map { .object($0) } ?? .unknown
    case .variable(let name): return scope[name].map { .object($0) } ?? .unknown
    case .keyPath(let path):
      return try kind(ofPath: path.path, from: kind(of: path.operand, scope))
    case .constant(let value): return ConditionKind(value)
    case .aggregate: return .list
    case .function(let function): return try kind(of: function, scope)
    case .subquery(let collection, _, _): return try kind(of: collection, scope)
    case .set(_, let left, _): return try kind(of: left, scope)
    case .conditional(_, let yes, let no):
      let (yes, no) = (try kind(of: yes, scope), try kind(of: no, scope))
      if case .nothing = yes { return no }
      return yes.name == no.name ? yes : .unknown
    default: return .unknown
    }
  }

  /// The kind that a key path leads to from an object of an entity.
  func kind(ofPath path: String, in entity: NSEntityDescription) throws -> ConditionKind {
    try kind(ofPath: path, from: .object(entity))
  }

  private func kind(ofPath path: String, from start: ConditionKind) throws -> ConditionKind {
    var names: [String] = []
    return try kind(
      ofKeys: path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...],
      from: start, &names)
  }

  /// - Parameter names: The keys traversed so far.
  private func kind(
    ofKeys keys: ArraySlice<String>, from start: ConditionKind, _ names: inout [String]
  ) throws -> ConditionKind {
    var keys = keys
    var kind = start
    while let key = keys.popFirst() {
      if key.hasPrefix("@") { return try aggregated(kind, by: key, then: keys, names: &names) }
      if !["self", "SELF"].contains(key) {
        if case .collection(let element) = kind {
          kind = .collection(try self.kind(ofKey: key, of: element, names).element)
        } else {
          kind = try self.kind(ofKey: key, of: kind, names)
        }
      }
      names.append(key)
    }
    return kind
  }

  private func kind(
    ofKey key: String, of kind: ConditionKind, _ names: [String]
  ) throws -> ConditionKind {
    switch kind {
    case .unknown: return .unknown
    case .nothing: return .nothing
    case .object(let entity): return try self.kind(ofProperty: key, of: entity)
    case .record(let composite?):
      guard let element = composite.elements.first(where: { $0.name == key }) else {
        throw problem(
          "\(composite.name) has no element '\(key)'"
            + DidYouMean.text(key, among: composite.elements.map(\.name)), at: key)
      }
      return ConditionKind(element)
    case .entity:
      throw problem(
        "an entity has no keys here; its name is compared as in entity == \"Name\"", at: key)
    default:
      let known = kind.ownKeys
      guard let found = known[key] else {
        let owner = names.last.map { "'\($0)'" } ?? "this"
        throw problem(
          "\(owner) is \(kind.name), and has no key '\(key)'"
            + DidYouMean.text(key, among: Array(known.keys)), at: key)
      }
      return found
    }
  }

  private func kind(
    ofProperty key: String, of entity: NSEntityDescription
  ) throws -> ConditionKind {
    if key == "objectID" { return .object(entity) }
    guard let property = entity.propertiesByName[key] else {
      if key == "entity" { return .entity(entity) }
      throw problem(
        "\(entity.name ?? "") has no property '\(key)'"
          + DidYouMean.text(key, among: Array(entity.propertiesByName.keys)), at: key)
    }
    if property.isTransient {
      throw problem("'\(key)' is transient: the store keeps no values of it", at: key)
    }
    switch property {
    case let relationship as NSRelationshipDescription:
      guard let destination = relationship.destinationEntity else { return .unknown }
      return relationship.isToMany ? .collection(.object(destination)) : .object(destination)
    case let attribute as NSAttributeDescription: return ConditionKind(attribute)
    default:
      throw problem("'\(key)' is a fetched property, which can't be used in conditions", at: key)
    }
  }

  // MARK: Collection operators

  private static let operators = [
    "@count", "@sum", "@avg", "@min", "@max", "@unionOfObjects", "@distinctUnionOfObjects",
    "@unionOfArrays", "@distinctUnionOfArrays", "@unionOfSets", "@distinctUnionOfSets",
  ]

  private func aggregated(
    _ kind: ConditionKind, by name: String, then keys: ArraySlice<String>, names: inout [String]
  ) throws -> ConditionKind {
    guard Self.operators.contains(name) else {
      throw problem(
        "there is no collection operator '\(name)'" + DidYouMean.text(name, among: Self.operators),
        at: name)
    }
    let element: ConditionKind
    switch kind {
    case .collection(let kind): element = kind
    case .unknown, .list: element = .unknown
    default:
      let owner = names.last.map { "'\($0)'" } ?? "this"
      throw problem("\(name) is of several values, and \(owner) is \(kind.name)", at: name)
    }
    if name == "@count" {
      guard keys.isEmpty else {
        throw problem("@count is a number, and has no key '\(keys.first ?? "")'", at: name)
      }
      return .number
    }
    var inner = names
    let value = try self.kind(ofKeys: keys, from: element, &inner).element
    switch name {
    case "@sum", "@avg":
      guard value.isNumeric else {
        throw problem("\(name) adds numbers, but this is \(value.name)", at: keys.last ?? name)
      }
      return .number
    case "@min", "@max":
      guard value.isOrdered else {
        throw problem(
          "\(name) needs values that have an order, but this is \(value.name)",
          at: keys.last ?? name)
      }
      return value
    default: return .collection(value)
    }
  }
}
