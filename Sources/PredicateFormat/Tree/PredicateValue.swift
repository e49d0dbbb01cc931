import Foundation

/// A constant in a predicate, with all types that an archived `NSConstantValueExpression` can contain.
///
/// Equality is exact: `.integer(1)`, `.double(1)` and `.bool(true)` are three different values, as in an archive.
/// `NSExpression`'s own equality, like that of Foundation's numbers, considers them equal.
public enum PredicateValue: Hashable, Sendable {
  /// No value: `nil`, `NULL`.
  case null
  /// The object `NSNull()`, which is distinct from nil.
  case nsNull
  /// A boolean number.
  case bool(Bool)
  /// An integer.
  case integer(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  /// A double.
  case double(Double)
  /// A single-precision number.
  case float(Float)
  /// A decimal number.
  case decimal(Decimal)
  /// A string.
  case string(String)
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A UUID.
  case uuid(UUID)
  /// A URL.
  case url(URL)
  /// An array.
  case array([PredicateValue])
  /// A set, with its elements in the order in which they were read.
  case set([PredicateValue])
  /// An ordered set.
  case orderedSet([PredicateValue])
  /// A dictionary, with its entries in the order in which they were read.
  case dictionary([Entry])
  /// A class, given by its Objective-C name (`NSConstantValueClassName`).
  case className(String)
  /// Any other object of the program, such as a managed object or an object ID. It can't be archived.
  case object(OpaqueObject)

  /// A key and its value.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public var key: PredicateValue
    /// The value.
    public var value: PredicateValue

    /// Creates an entry.
    public init(key: PredicateValue, value: PredicateValue) {
      self.key = key
      self.value = value
    }
  }
}

extension PredicateValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral
{
  /// Creates ``null``.
  public init(nilLiteral: ()) { self = .null }
  /// Creates ``bool(_:)``.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates ``integer(_:)``.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates ``double(_:)``.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates ``string(_:)``.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates ``array(_:)``.
  public init(arrayLiteral elements: PredicateValue...) { self = .array(elements) }
}
