import Foundation

/// A predicate compiled for repeated evaluation: constants are converted and folded, patterns compiled, and operators
/// resolved.
///
/// ```swift
/// let program = PredicateProgram(try PredicateTree(parsing: "age > 30"))
/// let old = try people.filter { try program.evaluate($0) }
/// ```
///
/// A program is a value and may be used concurrently on several threads.
public struct PredicateProgram: Sendable {
  /// The original predicate.
  public let tree: PredicateTree
  private let test: Test
  /// The predicate in SQL's three-valued logic; nil if the rules are two-valued.
  private let logic: Truth?

  /// Compiles a predicate.
  public init(_ tree: PredicateTree) { self.init(tree, .foundation) }

  /// Compiles a predicate for evaluation by other rules than Foundation's.
  package init(_ tree: PredicateTree, _ rules: EvaluationRules) {
    self.tree = tree
    let compiler = Compiler(rules)
    if rules.nilIsUnknown {
      let truth = compiler.truth(tree)
      logic = truth
      test = { context throws(PredicateFormatError) in try truth(&context) ?? false }
    } else {
      logic = nil
      test = compiler.test(tree)
    }
  }

  /// Whether a readable object satisfies the predicate. This is the fastest variant.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception: for values of incompatible types, an
  ///   unbound variable, an unknown key, or an invalid pattern.
  public func evaluate(
    _ object: some KeyValueReadable, bindings: [String: PredicateValue] = [:]
  ) throws(PredicateFormatError) -> Bool {
    var context = EvaluationContext(subject: .readable(object), bindings: bindings)
    return try test(&context)
  }

  /// Whether an object satisfies the predicate: a dictionary, a string, a number, nil, or anything
  /// that adopts ``KeyValueReadable``.
  ///
  /// - Throws: The same errors as ``evaluate(_:bindings:)``.
  public func evaluate(
    with object: Any?, bindings: [String: Any] = [:]
  ) throws(PredicateFormatError) -> Bool {
    var context = EvaluationContext(
      subject: .init(object), bindings: bindings.mapValues { PredicateValue(reading: $0) })
    return try test(&context)
  }

  /// Evaluates the predicate with only the values of its variables. Returns nil if the result is unknown, which is
  /// possible only by the rules of a SQLite store.
  package func truth(
    of bindings: [String: PredicateValue]
  ) throws(PredicateFormatError) -> Bool? {
    var context = EvaluationContext(subject: .value(.null), bindings: bindings)
    guard let logic else { return try test(&context) }
    return try logic(&context)
  }
}

extension PredicateTree {
  /// Whether an object satisfies the predicate. For repeated evaluation, create a ``PredicateProgram``.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception.
  public func evaluate(
    with object: Any?, bindings: [String: Any] = [:]
  ) throws(PredicateFormatError) -> Bool {
    try PredicateProgram(self).evaluate(with: object, bindings: bindings)
  }
}
