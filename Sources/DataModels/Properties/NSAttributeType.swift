/// The type of an attribute's values, under Core Data's older names. The raw values are those of archives.
///
/// For the newer names, see ``NSAttributeDescription/AttributeType``.
public enum NSAttributeType: UInt, Sendable, CaseIterable {
  /// No type; allowed only for transient attributes.
  case undefinedAttributeType = 0
  /// A 16-bit signed integer.
  case integer16AttributeType = 100
  /// A 32-bit signed integer.
  case integer32AttributeType = 200
  /// A 64-bit signed integer.
  case integer64AttributeType = 300
  /// A decimal number of up to 38 digits.
  case decimalAttributeType = 400
  /// A 64-bit floating-point number.
  case doubleAttributeType = 500
  /// A 32-bit floating-point number.
  case floatAttributeType = 600
  /// A string.
  case stringAttributeType = 700
  /// True or false.
  case booleanAttributeType = 800
  /// A point in time.
  case dateAttributeType = 900
  /// Bytes.
  case binaryDataAttributeType = 1000
  /// A universally unique identifier.
  case UUIDAttributeType = 1100
  /// A URL.
  case URIAttributeType = 1200
  /// A value that is converted to bytes by a transformer.
  case transformableAttributeType = 1800
  /// The identity of an object; only in expression descriptions.
  case objectIDAttributeType = 2000
  /// A dictionary of elements.
  case compositeAttributeType = 2100
}

extension NSAttributeDescription {
  /// The type of an attribute's values, under Core Data's newer names.
  public struct AttributeType: RawRepresentable, Hashable, Sendable {
    /// The same type under its older name.
    public var rawValue: NSAttributeType

    /// Creates the type with the given older name.
    public init(rawValue: NSAttributeType) {
      self.rawValue = rawValue
    }

    private init(_ rawValue: NSAttributeType) {
      self.rawValue = rawValue
    }

    /// No type; allowed only for transient attributes.
    public static let undefined = AttributeType(.undefinedAttributeType)
    /// A 16-bit signed integer.
    public static let integer16 = AttributeType(.integer16AttributeType)
    /// A 32-bit signed integer.
    public static let integer32 = AttributeType(.integer32AttributeType)
    /// A 64-bit signed integer.
    public static let integer64 = AttributeType(.integer64AttributeType)
    /// A decimal number of up to 38 digits.
    public static let decimal = AttributeType(.decimalAttributeType)
    /// A 64-bit floating-point number.
    public static let double = AttributeType(.doubleAttributeType)
    /// A 32-bit floating-point number.
    public static let float = AttributeType(.floatAttributeType)
    /// A string.
    public static let string = AttributeType(.stringAttributeType)
    /// True or false.
    public static let boolean = AttributeType(.booleanAttributeType)
    /// A point in time.
    public static let date = AttributeType(.dateAttributeType)
    /// Bytes.
    public static let binaryData = AttributeType(.binaryDataAttributeType)
    /// A universally unique identifier.
    public static let uuid = AttributeType(.UUIDAttributeType)
    /// A URL.
    public static let uri = AttributeType(.URIAttributeType)
    /// A value that is converted to bytes by a transformer.
    public static let transformable = AttributeType(.transformableAttributeType)
    /// The identity of an object; only in expression descriptions.
    public static let objectID = AttributeType(.objectIDAttributeType)
    /// A dictionary of elements.
    public static let composite = AttributeType(.compositeAttributeType)
  }
}
