/// The type of an attribute's values, under Core Data's older names; the raw values are those of
/// archives.
///
/// The newer names are ``NSAttributeDescription/AttributeType``.
public enum NSAttributeType: UInt, Sendable, CaseIterable {
  /// No type; legal for transient attributes only.
  case undefinedAttributeType = 0
  /// A signed integer of 16 bits.
  case integer16AttributeType = 100
  /// A signed integer of 32 bits.
  case integer32AttributeType = 200
  /// A signed integer of 64 bits.
  case integer64AttributeType = 300
  /// A decimal number of up to 38 digits.
  case decimalAttributeType = 400
  /// A floating-point number of 64 bits.
  case doubleAttributeType = 500
  /// A floating-point number of 32 bits.
  case floatAttributeType = 600
  /// A text.
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
  /// A value that a transformer turns into bytes.
  case transformableAttributeType = 1800
  /// The identity of an object; in expression descriptions only.
  case objectIDAttributeType = 2000
  /// A dictionary of elements.
  case compositeAttributeType = 2100
}

extension NSAttributeDescription {
  /// The type of an attribute's values, under Core Data's newer names.
  public struct AttributeType: RawRepresentable, Hashable, Sendable {
    /// The same type under its older name.
    public var rawValue: NSAttributeType

    /// Makes the type that has this older name.
    public init(rawValue: NSAttributeType) {
      self.rawValue = rawValue
    }

    private init(_ rawValue: NSAttributeType) {
      self.rawValue = rawValue
    }

    /// No type; legal for transient attributes only.
    public static let undefined = AttributeType(.undefinedAttributeType)
    /// A signed integer of 16 bits.
    public static let integer16 = AttributeType(.integer16AttributeType)
    /// A signed integer of 32 bits.
    public static let integer32 = AttributeType(.integer32AttributeType)
    /// A signed integer of 64 bits.
    public static let integer64 = AttributeType(.integer64AttributeType)
    /// A decimal number of up to 38 digits.
    public static let decimal = AttributeType(.decimalAttributeType)
    /// A floating-point number of 64 bits.
    public static let double = AttributeType(.doubleAttributeType)
    /// A floating-point number of 32 bits.
    public static let float = AttributeType(.floatAttributeType)
    /// A text.
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
    /// A value that a transformer turns into bytes.
    public static let transformable = AttributeType(.transformableAttributeType)
    /// The identity of an object; in expression descriptions only.
    public static let objectID = AttributeType(.objectIDAttributeType)
    /// A dictionary of elements.
    public static let composite = AttributeType(.compositeAttributeType)
  }
}
