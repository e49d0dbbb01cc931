import Foundation
import PredicateFormat

/// Finds the first setting in which two fetch requests differ.
enum RequestComparison {
  /// The name of the first setting that differs, or `nil` when the requests are equal.
  static func difference(_ left: AnyFetchRequest?, _ right: AnyFetchRequest?) -> String? {
    guard let left, let right else {
      return left == nil && right == nil ? nil : "presence"
    }
    if left === right { return nil }
    return FetchRequestFact.difference(left, right)
  }
}

/// Compares predicates by structure. Foundation's own classes, which compare by identity or not at all, are compared by
/// their meaning.
enum PredicateEquality {
  static func areEqual(_ left: NSPredicate?, _ right: NSPredicate?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left === right || left.tree.isEquivalent(to: right.tree)
  }

  static func areEqual(_ left: [NSPredicate], _ right: [NSPredicate]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
  }
}
