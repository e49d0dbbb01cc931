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
