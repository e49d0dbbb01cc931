import Foundation

/// An expression: one side of a comparison, a derived attribute's formula, or a function of values. It replaces
/// Foundation's class of the same name, which is not implemented on Linux.
///
/// ```swift
/// let total = NSExpression(format: "sum:(items.price) * %d", 2)
/// let value = total.expressionValue(with: order, context: nil)
/// ```
///
/// Expressions are immutable and compare by structure.
open class NSExpression: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: immutable; a block in it must be safe to call on any thread.

  /// The expression as a value.
  public let tree: ExpressionTree

  /// Creates an expression from a tree; from one that is nested more deeply than ``PredicateLimits/builtDepth``, one
  /// that can't be evaluated.
  public init(_ tree: ExpressionTree) {
    self.tree = tree.bounded
    super.init()
  }

  /// The text, as Core Data prints it.
  open override var description: String { tree.canonicalFormat }
  /// Returns the same object, since expressions are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
  /// Returns the same object.
  open override func copy() -> Any { self }
  /// Whether the expressions are structurally equal, with numbers compared by value.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSExpression else { return false }
    return self === other || tree.isEquivalent(to: other.tree)
  }
  /// A hash that is consistent with ``isEqual(_:)``.
  open override var hash: Int { tree.equivalenceHash }

  /// Evaluates the expression with an object; returns nil also where Foundation would raise an exception.
  ///
  /// - Parameters:
  ///   - object: The object from which key paths are read.
  ///   - context: The values of `$VARIABLES` by name.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    var bindings: [String: Any] = [:]
    for (key, value) in context ?? [:] { if let key = key as? String { bindings[key] = value } }
    return try? value(for: object, bindings: bindings)
  }

  /// Evaluates the expression with an object.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception.
  public final func value(for object: Any?, bindings: [String: Any] = [:]) throws -> Any? {
    try tree.value(for: object, bindings: bindings)
  }

  /// Allows an expression decoded from an archive to be evaluated. Has no effect here.
  open func allowEvaluation() {}
}
