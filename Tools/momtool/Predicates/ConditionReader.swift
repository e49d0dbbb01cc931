import DataModels
import Foundation
import ManagedObjects
import PredicateFormat

/// Processes a predicate tree, keeping track of the entity of each object in it.
struct ConditionReader {
  let text: String
  let option: String
  let values: PredicateArguments
  let object: (_ entity: String, _ key: Int64) throws -> NSManagedObjectID?
  /// The variables that were used.
  private(set) var usedNames: Set<String> = []

  /// The entities of the objects at which expressions start: `SELF`, and the variables of subqueries.
  typealias Scope = [String: NSEntityDescription]

  init(
    text: String, option: String, values: PredicateArguments,
    object: @escaping (_ entity: String, _ key: Int64) throws -> NSManagedObjectID?
  ) {
    (self.text, self.option, self.values, self.object) = (text, option, values, object)
  }

  // The recursion follows the parsed text, whose depth is bounded by its parser.
  mutating func read(_ tree: PredicateTree, _ scope: Scope) throws -> PredicateTree {
    switch tree {
    case .value, .opaque: return tree
    case .compound(let kind, let members):
      var read: [PredicateTree] = []
      for member in members { read.append(try self.read(member, scope)) }
      return .compound(kind, read)
    case .comparison(var comparison):
      comparison.left = try read(comparison.left, scope)
      comparison.right = try read(comparison.right, scope)
      try match(&comparison, scope)
      return .comparison(comparison)
    }
  }

  private mutating func read(
    _ trees: [ExpressionTree], _ scope: Scope
  ) throws -> [ExpressionTree] {
    var read: [ExpressionTree] = []
    for tree in trees { read.append(try self.read(tree, scope)) }
    return read
  }

  private mutating func read(_ tree: ExpressionTree, _ scope: Scope) throws -> ExpressionTree {
    switch tree {
    case .variable(let name) where scope[name] == nil:
      usedNames.insert(name)
      guard let value = values.named[name] else {
        throw problem("$\(name) has no value; give one with --bind \(name)=JSON", at: "$\(name)")
      }
      return .constant(PredicateValue(bridging: value))
    case .keyPath(var path):
      path.operand = try read(path.operand, scope)
      _ = try kind(of: .keyPath(path), scope)
      return .keyPath(path)
    case .function(var function):
      function.operand = try read(function.operand, scope)
      function.arguments = try read(function.arguments, scope)
      _ = try kind(of: .function(function), scope)
      return .function(function)
    case .subquery(let collection, let variable, let predicate):
      let collection = try read(collection, scope)
      var inner = scope
      if case .collection(.object(let entity)) = try kind(of: collection, scope) {
        inner[variable] = entity
      } else {
        throw problem("a SUBQUERY needs a to-many relationship", at: "SUBQUERY")
      }
      return .subquery(
        collection: collection, variable: variable, predicate: try read(predicate, inner))
    case .aggregate(let elements): return .aggregate(try read(elements, scope))
    case .set(let operation, let left, let right):
      return .set(operation, try read(left, scope), try read(right, scope))
    case .conditional(let condition, let yes, let no):
      return .conditional(try read(condition, scope), try read(yes, scope), try read(no, scope))
    case .anyKey:
      throw problem("ANYKEY is for dictionaries, not for objects", at: "ANYKEY")
    case .fetch, .block, .assignment, .keyPathSpecifier:
      throw problem("a store can't evaluate this", at: place(tree))
    case .constant, .evaluatedObject, .variable, .symbol: return tree
    }
  }

  // MARK: Reporting

  /// The text of a part of the condition.
  func place(_ tree: ExpressionTree) -> String {
    switch tree {
    case .keyPath(let path): path.path
    case .constant(.string(let text)): text
    case .constant(.null): ["nil", "NULL"].first { range(of: $0) != nil } ?? "nil"
    case .constant(.integer(let number)): "\(number)"
    case .constant(.bool(let flag)):
      (flag ? ["true", "YES"] : ["false", "NO"]).first { range(of: $0) != nil } ?? ""
    case .constant(.array), .constant(.set), .aggregate: "{"
    case .evaluatedObject: "SELF"
    case .subquery: "SUBQUERY"
    case .conditional: "TERNARY"
    case .function(let function): place(function)
    default: tree.canonicalFormat
    }
  }

  private func place(_ function: ExpressionTree.Function) -> String {
    let name = String(function.selector.prefix { $0 != ":" })
    if range(of: name + "(") != nil { return name + "(" }
    if function.selector.hasPrefix("castObject"), range(of: "CAST") != nil { return "CAST" }
    if !function.isBuiltIn { return "FUNCTION" }
    // An operator: its left side.
    return function.arguments.first.map { place($0) } ?? name
  }

  private func range(of place: String) -> Range<String.Index>? {
    text.range(of: place) ?? text.range(of: place, options: .caseInsensitive)
  }

  /// An error with a marker under the first occurrence of the text in the condition, or under its beginning.
  func problem(_ message: String, at place: String) -> Diagnostic {
    let start = range(of: place)?.lowerBound ?? text.startIndex
    let column = text.distance(from: text.startIndex, to: start) + 1
    return Diagnostic(message, path: option, column: column, in: text)
  }
}
