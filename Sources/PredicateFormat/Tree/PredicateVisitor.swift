/// Converts a predicate to another form, case by case: SQL, a list of the keys it reads, a drawing.
///
/// A store implements the cases that it can express. The others throw ``PredicateFormatError/Code/unsupported`` with a
/// message that shows the unsupported part, where Core Data raises "Unsupported predicate" or "Unsupported function
/// expression".
///
/// ```swift
/// struct Fragment { var sql: String; var bindings: [PredicateValue] }
/// struct SQLWriter: PredicateVisitor {
///   mutating func visit(comparison: PredicateTree.Comparison) throws -> Fragment { … }
///   …
/// }
/// var writer = SQLWriter()
/// let condition = try predicate.tree.accept(&writer)
/// ```
public protocol PredicateVisitor: ExpressionVisitor {
  /// The result of visiting a predicate.
  associatedtype Condition

  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  mutating func visit(constant: Bool) throws -> Condition
  /// A comparison.
  mutating func visit(comparison: PredicateTree.Comparison) throws -> Condition
  /// `AND`, `OR` or `NOT`.
  mutating func visit(
    compound kind: PredicateTree.CompoundKind, members: [PredicateTree]
  ) throws -> Condition
  /// A block, or a custom class.
  mutating func visit(opaque: OpaquePredicate) throws -> Condition
}

extension PredicateVisitor {
  /// Throws an error, since blocks can't be converted.
  public mutating func visit(opaque: OpaquePredicate) throws -> Condition {
    throw PredicateFormatError(
      .unsupported, "problem with subpredicate \(opaque): a block can't be translated")
  }
}

extension PredicateTree {
  /// Calls the visitor's method for this predicate; the visitor itself descends into the parts.
  public func accept<Visitor: PredicateVisitor>(
    _ visitor: inout Visitor
  ) throws -> Visitor.Condition {
    switch self {
    case .value(let value): try visitor.visit(constant: value)
    case .comparison(let comparison): try visitor.visit(comparison: comparison)
    case .compound(let kind, let members): try visitor.visit(compound: kind, members: members)
    case .opaque(let opaque): try visitor.visit(opaque: opaque)
    }
  }
}
