import Foundation
import Synchronization

/// One of our predicate classes, which stores its tree.
protocol TreeBacked: NSPredicate {
  var heldTree: PredicateTree { get }
  /// The levels of the tree.
  var depth: Int { get }
  var program: LazyProgram { get }
}

extension TreeBacked {
  /// Returns false where Foundation would raise an exception: a predicate with untrusted values must not stop the
  /// program.
  func answer(_ object: Any?, _ bindings: [String: Any]?) -> Bool {
    (try? program.value.evaluate(with: object, bindings: bindings ?? [:])) ?? false
  }

  func equals(_ other: Any?) -> Bool {
    guard let other = other as? NSPredicate else { return false }
    return self === other || heldTree.isEquivalent(to: other.tree)
  }
}

/// A lazily compiled program: most predicates are only printed, stored or converted to SQL.
final class LazyProgram: Sendable {
  private let tree: PredicateTree
  private let prepared = Mutex<[EvaluationRules: PredicateProgram]>([:])

  init(_ tree: PredicateTree) { self.tree = tree }

  var value: PredicateProgram { value(.foundation) }

  func value(_ rules: EvaluationRules) -> PredicateProgram {
    prepared.withLock { programs in
      if let program = programs[rules] { return program }
      let made = PredicateProgram(tree, rules)
      programs[rules] = made
      return made
    }
  }
}

extension NSPredicate {
  /// The compiled predicate, for evaluation with many objects.
  package func program(_ rules: EvaluationRules) -> PredicateProgram {
    (self as? any TreeBacked)?.program.value(rules) ?? PredicateProgram(tree, rules)
  }
}
