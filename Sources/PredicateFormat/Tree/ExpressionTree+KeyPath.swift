extension ExpressionTree {
  /// A key path read from an expression: `name`, `department.name`, `$source.name`,
  /// `SUBQUERY(…).@count`.
  public struct KeyPath: Hashable, Sendable {
    /// What the path is read from; usually ``ExpressionTree/evaluatedObject``.
    public var operand: ExpressionTree
    /// The keys, joined by dots, operators such as `@count` included.
    public var path: String
    /// The selector that archives name (`NSSelectorName`): ``standardSelector(for:from:)``, unless
    /// an archive said otherwise.
    public var selector: String

    /// Makes a key path.
    ///
    /// - Parameter selector: nil for the usual one.
    public init(
      _ path: String, from operand: ExpressionTree = .evaluatedObject, selector: String? = nil
    ) {
      self.operand = operand
      self.path = path
      self.selector = selector ?? Self.standardSelector(for: path, from: operand)
    }

    /// The selector that Core Data archives for a path: `valueForKey:` for one key of the evaluated
    /// object, `valueForKeyPath:` for a dotted path and for any path of another operand.
    public static func standardSelector(
      for path: String, from operand: ExpressionTree
    ) -> String {
      operand == .evaluatedObject && !path.utf8.contains(UInt8(ascii: "."))
        ? "valueForKey:" : "valueForKeyPath:"
    }
  }
}
