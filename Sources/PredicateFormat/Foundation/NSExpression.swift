import Foundation

/// One side of a comparison, a derived attribute's formula, a function of values: Foundation's class
/// of that name, which doesn't exist on Linux.
///
/// ```swift
/// let total = NSExpression(format: "sum:(items.price) * %d", 2)
/// let value = total.expressionValue(with: order, context: nil)
/// ```
///
/// Expressions don't change and compare by structure.
open class NSExpression: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: never changed once it is made; a block in it is the program's to be called anywhere.

  /// The expression as a value.
  public let tree: ExpressionTree

  /// The object of an expression.
  public init(_ tree: ExpressionTree) {
    self.tree = tree
    super.init()
  }

  /// The text, as Core Data prints it.
  open override var description: String { tree.canonicalFormat }
  /// The same object: expressions don't change.
  open func copy(with zone: NSZone? = nil) -> Any { self }
  /// The same object.
  open override func copy() -> Any { self }
  /// Equal by structure; numbers by value.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSExpression else { return false }
    return self === other || tree.isEquivalent(to: other.tree)
  }
  /// Follows ``isEqual(_:)``.
  open override var hash: Int { tree.equivalenceHash }

  /// The value for an object; nil also where Foundation would raise an exception.
  ///
  /// - Parameters:
  ///   - object: what key paths begin at.
  ///   - context: values of `$VARIABLES` by their names.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    var bindings: [String: Any] = [:]
    for (key, value) in context ?? [:] { if let key = key as? String { bindings[key] = value } }
    return try? value(for: object, bindings: bindings)
  }

  /// The value for an object.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception.
  public final func value(for object: Any?, bindings: [String: Any] = [:]) throws -> Any? {
    try tree.value(for: object, bindings: bindings)
  }

  /// Allows an expression that was decoded from an archive to be evaluated. Nothing to do here.
  open func allowEvaluation() {}
}
