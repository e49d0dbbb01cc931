import Foundation
import PredicateFormat

/// The argument and result kinds of functions.
extension ConditionReader {
  func kind(of function: ExpressionTree.Function, _ scope: Scope) throws -> ConditionKind {
    guard function.isBuiltIn else { return try kind(ofCall: function, scope) }
    let kinds = try function.arguments.map { try kind(of: $0, scope) }
    let arguments = Array(zip(function.arguments, kinds))
    switch function.selector {
    case "count:": return .number
    case "sum:", "average:", "median:", "stddev:":
      try require(arguments, of: function, toBe: "numbers") { $0.element.isNumeric }
      return .number
    case "min:", "max:":
      try require(arguments, of: function, toBe: "values that have an order") {
        $0.element.isOrdered
      }
      return arguments.first?.1.element ?? .unknown
    case "uppercase:", "lowercase:", "canonical:":
      try require(arguments, of: function, toBe: "a string") { $0.isText }
      return .text
    case "length:":
      try require(arguments, of: function, toBe: "a string") { $0.isText }
      return .number
    case "now": return .date
    case "random", "randomn:": return .number
    case "noindex:": return kinds.first ?? .unknown
    case "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:":
      try require(arguments, of: function, toBe: "numbers or dates") {
        if case .date = $0 { true } else { $0.isNumeric }
      }
      let dates = kinds.count { if case .date = $0 { true } else { false } }
      let isSum = ["add:to:", "from:subtract:"].contains(function.selector)
      return dates == 1 && isSum ? .date : .number
    case "castObject:toType:": return try kind(ofCast: arguments, scope)
    case "objectFrom:withIndex:":
      guard let (tree, kind) = arguments.first else { return .unknown }
      switch kind {
      case .collection(let element): return element
      case .list, .unknown: return .unknown
      default:
        throw problem("an index requires several values, but this is \(kind.name)", at: place(tree))
      }
    case "mode:", "distanceToLocation:fromLocation:": return .unknown
    default:
      try require(arguments, of: function, toBe: "a number") { $0.isNumeric }
      return .number
    }
  }

  private func require(
    _ arguments: [(ExpressionTree, ConditionKind)], of function: ExpressionTree.Function,
    toBe wanted: String, _ isFine: (ConditionKind) -> Bool
  ) throws {
    for (tree, kind) in arguments {
      if case .list = kind { continue }
      if case .nothing = kind { continue }
      // A path to many values is accepted only by functions that take several values.
      guard !isFine(kind) else { continue }
      let name = function.selector.prefix { $0 != ":" }
      throw problem("\(name) needs \(wanted), but this is \(kind.name)", at: place(tree))
    }
  }

  /// The kinds of the classes that `CAST` supports, by name.
  private static var classes: [String: ConditionKind] {
    [
      "NSNumber": .number, "NSDecimalNumber": .number, "NSString": .text, "NSDate": .date,
      "NSUUID": .uuid, "NSURL": .url, "NSData": .bytes, "NSArray": .unknown, "NSSet": .unknown,
      "Class": .unknown,
    ]
  }

  private func kind(
    ofCast arguments: [(ExpressionTree, ConditionKind)], _ scope: Scope
  ) throws -> ConditionKind {
    guard arguments.count == 2, case .constant(.string(let name)) = arguments[1].0 else {
      return .unknown
    }
    guard let kind = Self.classes[name] else {
      throw problem(
        "CAST doesn't support the class '\(name)'"
          + DidYouMean.text(name, among: Array(Self.classes.keys)), at: name)
    }
    let (tree, from) = arguments[0]
    let isPossible =
      switch (kind, from) {
      case (_, .unknown), (_, .nothing): true
      case (.number, .text), (.number, .date), (.number, .number), (.number, .flag): true
      case (.text, .text), (.text, .uuid), (.text, .url), (.text, .date), (.text, .number),
        (.text, .flag):
        true
      case (.date, .date), (.date, .text), (.date, .number), (.date, .flag): true
      case (.uuid, .text), (.uuid, .uuid), (.url, .text), (.url, .url), (.bytes, .text),
        (.bytes, .bytes):
        true
      case (.unknown, .collection), (.unknown, .list): true
      default: false
      }
    guard isPossible else {
      throw problem("\(from.name) can't be cast to \(name)", at: place(tree))
    }
    return kind
  }

  /// `FUNCTION(target, "selector:")`: for a store's values, only keys are supported.
  private func kind(
    ofCall function: ExpressionTree.Function, _ scope: Scope
  ) throws -> ConditionKind {
    let path: String
    switch (function.selector, function.arguments.first) {
    case ("valueForKey:", .constant(.string(let key))?),
      ("valueForKeyPath:", .constant(.string(let key))?):
      path = key
    case (let selector, nil) where !selector.contains(":"): path = selector
    default:
      throw problem(
        "'\(function.selector)' can't be called here: a store's values only have keys",
        at: function.selector)
    }
    return try kind(of: .keyPath(.init(path, from: function.operand)), scope)
  }
}
