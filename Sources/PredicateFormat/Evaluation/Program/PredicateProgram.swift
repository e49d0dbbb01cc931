import Foundation

/// A predicate made ready to be evaluated many times: constants converted and folded, patterns
/// compiled, operators chosen.
///
/// ```swift
/// let program = PredicateProgram(try PredicateTree(parsing: "age > 30"))
/// let old = try people.filter { try program.evaluate($0) }
/// ```
///
/// A program is a value and may be used on several threads at once.
public struct PredicateProgram: Sendable {
  /// The predicate it was made of.
  public let tree: PredicateTree
  private let test: Test
  /// The predicate in the logic of SQL; nil where everything is true or false.
  private let logic: Truth?

  /// Prepares a predicate.
  public init(_ tree: PredicateTree) { self.init(tree, .foundation) }

  /// Prepares a predicate that is evaluated by other rules than Foundation's.
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

  /// Whether an object that answers keys satisfies the predicate. The fastest form.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception: values of
  ///   unlike types, a variable without a value, an unknown key, a bad pattern.
  public func evaluate(
    _ object: some KeyValueReadable, bindings: [String: PredicateValue] = [:]
  ) throws(PredicateFormatError) -> Bool {
    var context = EvaluationContext(subject: .readable(object), bindings: bindings)
    return try test(&context)
  }

  /// Whether an object satisfies the predicate: a dictionary, a string, a number, nil, or anything
  /// that adopts ``KeyValueReadable``.
  ///
  /// - Throws: As ``evaluate(_:bindings:)``.
  public func evaluate(
    with object: Any?, bindings: [String: Any] = [:]
  ) throws(PredicateFormatError) -> Bool {
    var context = EvaluationContext(
      subject: .init(object), bindings: bindings.mapValues { PredicateValue(reading: $0) })
    return try test(&context)
  }

  /// Whether the predicate is true of values that stand for its variables; nil when that is unknown,
  /// which only the rules of a SQLite store let it be.
  package func truth(
    of bindings: [String: PredicateValue]
  ) throws(PredicateFormatError) -> Bool? {
    var context = EvaluationContext(subject: .value(.null), bindings: bindings)
    guard let logic else { return try test(&context) }
    return try logic(&context)
  }
}

extension PredicateTree {
  /// Whether an object satisfies the predicate. To ask often, make a ``PredicateProgram``.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception.
  public func evaluate(
    with object: Any?, bindings: [String: Any] = [:]
  ) throws(PredicateFormatError) -> Bool {
    try PredicateProgram(self).evaluate(with: object, bindings: bindings)
  }
}
