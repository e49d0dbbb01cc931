extension ModelSchema {
  /// A fetch index of an entity.
  public struct FetchIndex: Codable, Hashable, Sendable {
    /// The index's name.
    public var name: String

    /// What is indexed, in the index's order.
    public var elements: [Element]

    /// The predicate that says which objects the index covers, as text; `nil` for all.
    public var predicate: String?

    /// Creates an index.
    public init(name: String, elements: [Element], predicate: String? = nil) {
      self.name = name
      self.elements = elements
      self.predicate = predicate
    }

    /// One property or expression of an index.
    public struct Element: Codable, Hashable, Sendable {
      /// The name of the property, or of the expression.
      public var name: String

      /// The expression as text, where it is not a property that is indexed.
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

  /// An expression that stands where a property can stand, with the type of its result.
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
