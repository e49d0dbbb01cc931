/// An SQL expression with the type of its values.
@_spi(Engines) public struct SQLOperand {
  /// The type of the values, as predicates compare them.
  public enum ValueType: Hashable {
    /// Whole numbers.
    case integer
    /// Numbers in single or double precision.
    case real
    /// Decimal numbers.
    case decimal
    /// Truth values.
    case boolean
    /// Dates.
    case date
    /// Strings.
    case text
    /// UUIDs.
    case uuid
    /// URLs.
    case url
    /// Keys of rows of the hierarchy, or of the table, with this number.
    case object(root: Int)
    /// What an engine stores to tell an object's entity.
    case entity

    /// Whether values are numbers, which are compared regardless of their width.
    public var isNumeric: Bool {
      switch self {
      case .integer, .real, .decimal, .boolean: true
      default: false
      }
    }

    /// Whether SQL orders the values as predicates do.
    public var isOrdered: Bool { isNumeric || self == .date || self == .text || self == .uuid }
  }

  /// The expression.
  public let sql: String
  /// The type of its values.
  public let type: ValueType
  /// Whether the values are known never to be NULL.
  public let isRequired: Bool

  /// Creates an operand.
  public init(_ sql: String, _ type: ValueType, isRequired: Bool = false) {
    self.sql = sql
    self.type = type
    self.isRequired = isRequired
  }
}
