import DataModels
import Foundation
import ManagedObjects
import ModelSource
import PredicateFormat

/// A condition on the objects of an entity, read strictly: what can't be true of any object because it was
/// written wrongly is an error with its place, and not a condition that nothing fulfils.
///
/// Keys must be those of the model, variables must have values, and what is compared must be of one kind.
/// Where an attribute or a relationship says what a text must be, texts stand for dates (in ISO 8601), UUIDs,
/// URLs, and objects by their names, such as `Author/p2`.
struct StoreCondition {
  /// The condition, with variables replaced.
  let predicate: NSPredicate

  /// Reads a condition.
  ///
  /// - Parameters:
  ///   - text: the predicate's format.
  ///   - entity: the entity whose objects it is about.
  ///   - values: the values of variables, and those of `%@` in their order.
  ///   - object: gives the identity of an object of the store.
  /// - Throws: ``Diagnostic`` with a mark under what is wrong.
  init(
    _ text: String, on entity: NSEntityDescription, values: PredicateArguments,
    object: @escaping (_ entity: String, _ key: Int64) throws -> NSManagedObjectID?
  ) throws {
    let tree: PredicateTree
    do {
      tree = try PredicateTree(
        parsing: text, arguments: values.positional.map { PredicateValue(bridging: $0) })
    } catch let error as PredicateFormatError {
      throw Diagnostic(
        error.description + PredicateArguments.pointer(error.column, in: text), path: "--where")
    }
    let reader = ConditionReader(text: text, option: "--where", values: values, object: object)
    predicate = try reader.read(tree, ["SELF": entity]).predicate
  }

  /// Looks whether an entity has the properties of a path of keys.
  ///
  /// - Throws: ``Diagnostic`` that names the option.
  static func checkKey(_ path: String, of entity: NSEntityDescription, option: String) throws {
    let reader = ConditionReader(
      text: path, option: option, values: PredicateArguments(), object: { _, _ in nil })
    try reader.check(path, entity)
  }
}

/// Reads a tree of predicates, knowing the entity of each object in it.
private struct ConditionReader {
  let text: String
  let option: String
  let values: PredicateArguments
  let object: (_ entity: String, _ key: Int64) throws -> NSManagedObjectID?

  /// The entities of the objects that expressions start from: `SELF`, and the variables of subqueries.
  typealias Scope = [String: NSEntityDescription]

  /// What an expression gives, as far as the model says.
  indirect enum Kind {
    case text, number, flag, date, bytes, uuid, url
    case object(NSEntityDescription)
    case collection(Kind)
    /// Anything: what is computed, or transformed, is only known when it is there.
    case unknown

    var name: String {
      switch self {
      case .text: "a text"
      case .number: "a number"
      case .flag: "a Boolean"
      case .date: "a date"
      case .bytes: "bytes"
      case .uuid: "a UUID"
      case .url: "a URL"
      case .object(let entity): "an object of \(entity.name ?? "")"
      case .collection(let kind): "several of \(kind.name)"
      case .unknown: "anything"
      }
    }
  }

  func check(_ path: String, _ entity: NSEntityDescription) throws {
    _ = try kind(of: path, in: entity)
  }

  // Depth is that of the parsed text, which its parser bounds.
  func read(_ tree: PredicateTree, _ scope: Scope) throws -> PredicateTree {
    switch tree {
    case .value, .opaque: return tree
    case .compound(let kind, let members):
      return .compound(kind, try members.map { try read($0, scope) })
    case .comparison(var comparison):
      comparison.left = try read(comparison.left, scope)
      comparison.right = try read(comparison.right, scope)
      try match(&comparison, scope)
      return .comparison(comparison)
    }
  }

  private func read(_ tree: ExpressionTree, _ scope: Scope) throws -> ExpressionTree {
    switch tree {
    case .variable(let name) where scope[name] == nil:
      guard let value = values.named[name] else {
        throw problem("$\(name) has no value; give one with --bind \(name)=JSON", at: "$\(name)")
      }
      return .constant(PredicateValue(bridging: value))
    case .keyPath(var path):
      path.operand = try read(path.operand, scope)
      _ = try kind(of: .keyPath(path), scope)
      return .keyPath(path)
    case .function(var function):
      function.arguments = try function.arguments.map { try read($0, scope) }
      return .function(function)
    case .subquery(let collection, let variable, let predicate):
      let collection = try read(collection, scope)
      var inner = scope
      if case .collection(.object(let entity)) = try kind(of: collection, scope) {
        inner[variable] = entity
      } else {
        throw problem("a SUBQUERY is over the objects of a to-many relationship", at: "SUBQUERY")
      }
      return .subquery(
        collection: collection, variable: variable, predicate: try read(predicate, inner))
    case .aggregate(let elements): return .aggregate(try elements.map { try read($0, scope) })
    case .set(let operation, let left, let right):
      return .set(operation, try read(left, scope), try read(right, scope))
    case .conditional(let condition, let yes, let no):
      return .conditional(try read(condition, scope), try read(yes, scope), try read(no, scope))
    default: return tree
    }
  }

  // MARK: Kinds

  private func kind(of tree: ExpressionTree, _ scope: Scope) throws -> Kind {
    switch tree {
    case .evaluatedObject: return scope["SELF"].map { .object($0) } ?? .unknown
    case .variable(let name): return scope[name].map { .object($0) } ?? .unknown
    case .keyPath(let path):
      guard case .object(let entity) = try kind(of: path.operand, scope) else { return .unknown }
      return try kind(of: path.path, in: entity)
    case .constant(let value): return Self.kind(of: value)
    default: return .unknown
    }
  }

  private static func kind(of value: PredicateValue) -> Kind {
    switch value {
    case .string: .text
    case .bool: .flag
    case .integer, .unsigned, .double, .float, .decimal: .number
    case .date: .date
    case .data: .bytes
    case .uuid: .uuid
    case .url: .url
    default: .unknown
    }
  }

  /// What a path of keys leads to.
  private func kind(of path: String, in entity: NSEntityDescription) throws -> Kind {
    var keys = path.split(separator: ".").map(String.init)[...]
    var entity = entity
    var isMany = false
    func many(_ kind: Kind) -> Kind { isMany ? .collection(kind) : kind }
    while let key = keys.popFirst() {
      if key.hasPrefix("@") { return key == "@count" ? .number : .unknown }
      if ["self", "SELF"].contains(key) { continue }
      if key == "objectID" { return many(.object(entity)) }
      if key == "entity" { return .unknown }
      switch entity.propertiesByName[key] {
      case let relationship as NSRelationshipDescription:
        guard let destination = relationship.destinationEntity else { return .unknown }
        isMany = isMany || relationship.isToMany
        entity = destination
      case let attribute as NSAttributeDescription:
        return many(try kind(of: attribute, keys, path))
      case nil:
        throw problem(
          "\(entity.name ?? "") has no property '\(key)'"
            + DidYouMean.text(key, among: Array(entity.propertiesByName.keys)), at: key)
      default: return .unknown
      }
    }
    return many(.object(entity))
  }

  private func kind(
    of attribute: NSAttributeDescription, _ keys: ArraySlice<String>, _ path: String
  ) throws -> Kind {
    var attribute = attribute
    for key in keys {
      if key.hasPrefix("@") { return .unknown }
      guard let composite = attribute as? NSCompositeAttributeDescription else {
        guard attribute.attributeType == .stringAttributeType, key == "length" else {
          return .unknown
        }
        return .number
      }
      guard let element = composite.elements.first(where: { $0.name == key }) else {
        throw problem(
          "\(composite.name) has no element '\(key)'"
            + DidYouMean.text(key, among: composite.elements.map(\.name)), at: key)
      }
      attribute = element
    }
    switch attribute.attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .decimalAttributeType, .doubleAttributeType, .floatAttributeType:
      return .number
    case .stringAttributeType: return .text
    case .booleanAttributeType: return .flag
    case .dateAttributeType: return .date
    case .binaryDataAttributeType: return .bytes
    case .UUIDAttributeType: return .uuid
    case .URIAttributeType: return .url
    default: return .unknown
    }
  }

  // MARK: Comparing

  /// Makes the sides of a comparison fit, or says why they can't.
  private func match(_ comparison: inout PredicateTree.Comparison, _ scope: Scope) throws {
    let left = try kind(of: comparison.left, scope)
    let right = try kind(of: comparison.right, scope)
    switch comparison.type {
    case .beginsWith, .endsWith, .like, .matches:
      for (side, tree) in [(left, comparison.left), (right, comparison.right)] {
        switch Self.element(side) {
        case .text, .url, .unknown: break
        case let other where tree.isNothingOrUnknown: _ = other
        case let other:
          throw problem(
            "\(comparison.type.symbol) compares texts, and this is \(other.name)", at: place(tree))
        }
      }
    case .in:
      if case .text = left, case .text = right { return }
      comparison.right = try fitted(comparison.right, to: left)
    case .contains:
      if case .collection(let kind) = left {
        comparison.right = try fitted(comparison.right, to: kind)
      } else if case .text = left {
        comparison.right = try fitted(comparison.right, to: .text)
      }
    case .customSelector: break
    default:
      let plain = comparison.modifier == .direct ? left : Self.element(left)
      if case .constant = comparison.left, !comparison.right.isConstantOrList {
        comparison.left = try fitted(comparison.left, to: right)
      } else {
        comparison.right = try fitted(comparison.right, to: plain, from: right)
      }
    }
  }

  private static func element(_ kind: Kind) -> Kind {
    if case .collection(let kind) = kind { kind } else { kind }
  }

  /// The side of a comparison as the other side's kind needs it.
  private func fitted(
    _ tree: ExpressionTree, to kind: Kind, from other: Kind = .unknown
  ) throws -> ExpressionTree {
    switch tree {
    case .constant(.array(let elements)):
      return .constant(.array(try elements.map { try fitted($0, to: kind) }))
    case .constant(.set(let elements)):
      return .constant(.set(try elements.map { try fitted($0, to: kind) }))
    case .constant(let value): return .constant(try fitted(value, to: kind))
    case .aggregate(let elements):
      return .aggregate(try elements.map { try fitted($0, to: kind) })
    default:
      try compare(kind, other, tree)
      return tree
    }
  }

  /// Looks whether two sides that the model knows can be equal at all.
  private func compare(_ left: Kind, _ right: Kind, _ tree: ExpressionTree) throws {
    switch (left, right) {
    case (.unknown, _), (_, .unknown), (.collection, _), (_, .collection), (.object, .object): break
    case (.text, .text), (.bytes, .bytes), (.uuid, .uuid), (.url, .url), (.text, .url),
      (.url, .text):
      break
    case (.number, .number), (.number, .flag), (.flag, .number), (.flag, .flag), (.date, .date),
      (.date, .number), (.number, .date):
      break
    default:
      throw problem("this is \(right.name), and is compared with \(left.name)", at: place(tree))
    }
  }

  private func fitted(_ value: PredicateValue, to kind: Kind) throws -> PredicateValue {
    switch (kind, value) {
    case (_, .null), (_, .nsNull), (.unknown, _), (_, .object): return value
    case (.collection(let kind), _): return try fitted(value, to: kind)
    case (.text, .string), (.bytes, .data), (.uuid, .uuid), (.url, .url), (.date, .date):
      return value
    case (.number, .integer), (.number, .unsigned), (.number, .double), (.number, .float),
      (.number, .decimal), (.number, .bool), (.flag, .bool), (.flag, .integer), (.number, .date):
      return value
    case (.date, .integer(let seconds)):
      return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .double(let seconds)):
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.date, .string(let text)):
      guard let date = DateReading.date(text) else {
        throw problem(
          "'\(text)' is no date; write 2025-07-30T14:41:00Z, or 2025-07-30", at: text)
      }
      return .date(date)
    case (.uuid, .string(let text)):
      guard let uuid = UUID(uuidString: text) else {
        throw problem("'\(text)' is no UUID", at: text)
      }
      return .uuid(uuid)
    case (.url, .string(let text)):
      return URL(string: text).map { .url($0) } ?? value
    case (.object(let entity), .string(let text)): return try named(text, entity)
    default:
      throw problem(
        "this is \(Self.kind(of: value).name), and is compared with \(kind.name)",
        at: place(.constant(value)))
    }
  }

  /// The object of a name such as `Author/p2`, or of a whole URI.
  private func named(_ name: String, _ entity: NSEntityDescription) throws -> PredicateValue {
    let parts = name.split(separator: "/").suffix(2)
    guard parts.count == 2, let first = parts.first, let last = parts.last, last.hasPrefix("p"),
      let key = Int64(last.dropFirst())
    else {
      throw problem(
        "'\(name)' names no object; write ENTITY/pKEY, such as \(entity.name ?? "")/p1", at: name)
    }
    guard let id = try object(String(first), key) else {
      throw problem(
        "there is no entity '\(first)'"
          + DidYouMean.text(
            String(first), among: entity.managedObjectModel.entities.compactMap(\.name)), at: name)
    }
    return .object(OpaqueObject(id))
  }

  // MARK: Telling

  /// What a piece of the condition looks like in its text.
  private func place(_ tree: ExpressionTree) -> String {
    switch tree {
    case .keyPath(let path): path.path
    case .constant(.string(let text)): text
    case .constant(.integer(let number)): "\(number)"
    case .constant(.bool(let flag)): flag ? "true" : "false"
    default: tree.canonicalFormat
    }
  }

  /// An error with a mark under the first place where the condition says this.
  private func problem(_ message: String, at place: String) -> Diagnostic {
    let column =
      (text.range(of: place) ?? text.range(of: place, options: .caseInsensitive))
      .map { text.distance(from: text.startIndex, to: $0.lowerBound) + 1 }
    return Diagnostic(
      message + PredicateArguments.pointer(column, in: text), path: option)
  }
}

extension ExpressionTree {
  /// Whether nothing can be said of the expression's kind.
  fileprivate var isNothingOrUnknown: Bool {
    if case .constant(.null) = self { true } else { false }
  }

  fileprivate var isConstantOrList: Bool {
    switch self {
    case .constant, .aggregate: true
    default: false
    }
  }
}
