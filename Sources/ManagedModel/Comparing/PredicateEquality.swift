import Foundation
import PredicateFormat

/// Whether predicates are the same, by structure. Foundation's own classes, which compare by identity
/// or not at all, are compared by what they say.
enum PredicateEquality {
  static func areEqual(_ left: NSPredicate?, _ right: NSPredicate?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left === right || left.tree.isEquivalent(to: right.tree)
  }

  static func areEqual(_ left: [NSPredicate], _ right: [NSPredicate]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
  }
}
