import Foundation

/// A predicate class of ours: one that has its tree.
protocol TreeHolding: NSPredicate {
  var heldTree: PredicateTree { get }
  var program: PredicateProgram { get }
}

extension TreeHolding {
  /// Answers false where Foundation would raise an exception: a predicate over values from outside
  /// must not stop the program.
  func answer(_ object: Any?, _ bindings: [String: Any]?) -> Bool {
    (try? program.evaluate(with: object, bindings: bindings ?? [:])) ?? false
  }

  func equals(_ other: Any?) -> Bool {
    guard let other = other as? NSPredicate else { return false }
    return self === other || heldTree.isEquivalent(to: other.tree)
  }
}
