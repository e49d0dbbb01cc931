extension ModelSchema {
  /// A fetch index of an entity.
  public struct FetchIndex: Codable, Hashable, Sendable {
    /// The index's name.
    public var name: String

    /// The indexed elements, in order.
    public var elements: [Element]

    /// The predicate for the objects that the index includes, as text; `nil` for all.
    public var predicate: String?

    /// Creates an index.
    public init(name: String, elements: [Element], predicate: String? = nil) {
      self.name = name
      self.elements = elements
      self.predicate = predicate
    }

    /// An indexed property or expression.
    public struct Element: Codable, Hashable, Sendable {
      /// The name of the property, or of the expression.
      public var name: String

      /// The expression as text, if the element is not a property.
      public var expression: ExpressionResult?

      /// The kind of index.
      public var collation: Collation

      /// Whether the order is ascending.
      public var isAscending: Bool

      /// Creates an element.
      public init(
        name: String, expression: ExpressionResult? = nil, collation: Collation = .binary,
        isAscending: Bool = true
      ) {
        self.name = name
        self.expression = expression
        self.collation = collation
        self.isAscending = isAscending
      }
    }

    /// The kinds of indexes.
    public enum Collation: String, Codable, Hashable, Sendable {
      case binary, rTree
    }
  }

  /// An expression in place of a property, with its result type.
  public struct ExpressionResult: Codable, Hashable, Sendable {
    /// The expression, as text.
    public var expression: String?

    /// The type of the result.
    public var resultType: AttributeType

    /// Creates an expression.
    public init(expression: String?, resultType: AttributeType) {
      self.expression = expression
      self.resultType = resultType
    }
  }
}
