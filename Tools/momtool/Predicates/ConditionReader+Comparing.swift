import DataModels
import Foundation
import PredicateFormat

/// Checks which values can be compared with each other.
extension ConditionReader {
  /// One side of a comparison.
  private struct Side {
    var tree: ExpressionTree
    var kind: ConditionKind
  }

  /// Converts the sides of a comparison to match each other, or throws an error that explains why they can't.
  func match(_ comparison: inout PredicateTree.Comparison, _ scope: Scope) throws {
    var left = Side(tree: comparison.left, kind: try kind(of: comparison.left, scope))
    var right = Side(tree: comparison.right, kind: try kind(of: comparison.right, scope))
    if comparison.modifier != .direct {
      switch left.kind {
      case .collection(let element): left.kind = element
      case .unknown, .list: left.kind = .unknown
      default:
        throw problem(
          "ANY and ALL require several values, but this is \(left.kind.name)", at: place(left.tree))
      }
    }
    switch comparison.type {
    case .equalTo, .notEqualTo: try matchEqual(&left, &right)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      try matchEqual(&left, &right)
      try requireOrder([left, right], comparison.type)
    case .between: try matchBounds(left, &right)
    case .in: try matchMembers(of: &right, &left, .in)
    case .contains: try matchMembers(of: &left, &right, .contains)
    case .beginsWith, .endsWith, .like, .matches: try matchTexts(left, right, in: comparison)
    case .customSelector:
      throw problem("custom selectors aren't supported here", at: place(left.tree))
    }
    comparison.left = left.tree
    comparison.right = right.tree
    // String options don't apply to other values.
    if !left.kind.element.isText, !left.kind.isList, !right.kind.isText { comparison.options = [] }
  }

  private func refuseMany(_ side: Side) throws {
    guard side.kind.isCollection else { return }
    throw problem(
      "'\(place(side.tree))' refers to several: use ANY or ALL, or \(place(side.tree)).@count",
      at: place(side.tree))
  }

  // MARK: Equality and order

  private func matchEqual(_ left: inout Side, _ right: inout Side) throws {
    try refuseMany(left)
    try refuseMany(right)
    if case .constant = left.tree, !right.tree.isConstantOrList {
      left.tree = try fitted(left, to: right.kind)
      left.kind = right.kind
    } else {
      right.tree = try fitted(right, to: left.kind)
    }
  }

  private func requireOrder(_ sides: [Side], _ type: ComparisonOperator) throws {
    for side in sides {
      if side.tree.isNothing {
        throw problem(
          "nil has no order; test for it with == nil or != nil", at: place(side.tree))
      }
      guard side.kind.isOrdered || side.tree.isConstantOrList else {
        throw problem(
          "\(side.kind.name) has no order, so that \(type.symbol) can't be asked",
          at: place(side.tree))
      }
    }
  }

  private func matchBounds(_ left: Side, _ right: inout Side) throws {
    try refuseMany(left)
    let bounds: [ExpressionTree]
    switch right.tree {
    case .aggregate(let elements): bounds = elements
    case .constant(.array(let values)), .constant(.set(let values)):
      bounds = values.map { .constant($0) }
    default:
      if case .unknown = right.kind { return }
      throw problem("BETWEEN needs two bounds, {low, high}", at: place(right.tree))
    }
    guard bounds.count == 2 else {
      throw problem(
        "BETWEEN needs two bounds, {low, high}, but there are \(bounds.count)",
        at: place(right.tree))
    }
    try requireOrder([left] + bounds.map { Side(tree: $0, kind: .unknown) }, .between)
    right.tree = try fitted(right, to: left.kind, isMember: true)
  }

  // MARK: Membership

  private func matchMembers(
    of container: inout Side, _ member: inout Side, _ type: ComparisonOperator
  ) throws {
    try refuseMany(member)
    switch container.kind {
    case .unknown: break
    case .list: container.tree = try fitted(container, to: member.kind, isMember: true)
    case .collection(let kind): member.tree = try fitted(member, to: kind)
    case .text:
      guard member.kind.isText else {
        throw problem(
          "\(type.symbol) looks for a string in a string, but this is \(member.kind.name)",
          at: place(member.tree))
      }
    default:
      throw problem(
        "\(type.symbol) looks in a string, a list or several objects, but this is "
          + container.kind.name, at: place(container.tree))
    }
  }

  // MARK: Texts

  private func matchTexts(
    _ left: Side, _ right: Side, in comparison: PredicateTree.Comparison
  ) throws {
    let symbol = comparison.type.symbol
    for side in [left, right] {
      guard side.kind.isText else {
        var hint = ""
        if case .url = side.kind { hint = "; '\(place(side.tree)).absoluteString' is its string" }
        throw problem(
          "\(symbol) compares strings, but this is \(side.kind.name)\(hint)", at: place(side.tree))
      }
    }
    guard comparison.type == .matches, case .constant(.string(let pattern)) = right.tree else {
      return
    }
    do {
      var trial = comparison
      (trial.left, trial.modifier) = (.constant(.string("")), .direct)
      _ = try PredicateProgram(.comparison(trial)).evaluate(with: NSNull())
    } catch  where error.code == .badPattern || error.code == .tooLarge {
      throw problem(error.message, at: pattern)
    } catch {}
  }

  // MARK: Fitting

  /// Converts a side to the kind of the other side.
  ///
  /// - Parameter isMember: Whether it is a list, each of whose elements is to be converted.
  private func fitted(
    _ side: Side, to kind: ConditionKind, isMember: Bool = false
  ) throws -> ExpressionTree {
    switch side.tree {
    case .constant(.array(let elements)) where isMember:
      return .constant(.array(try elements.map { try fitted($0, to: kind) }))
    case .constant(.set(let elements)) where isMember:
      return .constant(.set(try elements.map { try fitted($0, to: kind) }))
    case .aggregate(let elements) where isMember:
      return .aggregate(
        try elements.map { element in
          guard case .constant(let value) = element else { return element }
          return .constant(try fitted(value, to: kind))
        })
    case .constant(.array), .constant(.set), .aggregate:
      throw problem("this is a list: IN asks whether a value is in it", at: place(side.tree))
    case .constant(let value): return .constant(try fitted(value, to: kind))
    default:
      try compare(kind, with: side.kind, at: side.tree)
      return side.tree
    }
  }

  /// Checks that two sides whose kinds are determined by the model can be equal.
  private func compare(
    _ left: ConditionKind, with right: ConditionKind, at tree: ExpressionTree
  ) throws {
    switch (left, right) {
    case (.transformed, _), (_, .transformed), (.record, _), (_, .record):
      throw problem(
        "\(left.name) and \(right.name) can't be compared: only == nil and != nil are possible",
        at: place(tree))
    case (.object(let one), .object(let other)):
      guard one.isKindOf(entity: other) || other.isKindOf(entity: one) else { break }
      return
    case (.unknown, _), (_, .unknown), (.nothing, _), (_, .nothing), (.text, .text),
      (.bytes, .bytes), (.uuid, .uuid), (.url, .url), (.number, .number), (.number, .flag),
      (.flag, .number), (.flag, .flag), (.date, .date), (.entity, .entity):
      return
    case (.date, .number), (.number, .date):
      throw problem(
        "this is \(right.name), but is compared with \(left.name); CAST(date, \"NSNumber\") returns its "
          + "seconds since 2001", at: place(tree))
    default: break
    }
    throw problem("this is \(right.name), but is compared with \(left.name)", at: place(tree))
  }
}

extension ExpressionTree {
  /// Whether the value is given in the condition itself.
  fileprivate var isConstantOrList: Bool {
    switch self {
    case .constant, .aggregate: true
    default: false
    }
  }
}
