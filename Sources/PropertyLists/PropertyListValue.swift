/// One object of a property list, with its members given by number.
///
/// A number is an index into the object table of the ``BinaryPropertyList``, or a node of the ``PropertyListGraph``,
/// that the value came from.
public enum PropertyListValue: Hashable, Sendable {
  /// The null object (marker `00`), which Core Foundation never writes into archives.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// An integer with its width in the file, in bytes: 1, 2, 4, 8 or 16.
  ///
  /// Integers of 1, 2 and 4 bytes are unsigned, wider ones are signed.
  case integer(Int128, width: Int)
  /// A 32-bit floating-point number.
  case float(Float)
  /// A 64-bit floating-point number.
  case double(Double)
  /// A date: seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  /// Bytes.
  case data([UInt8])
  /// Text.
  case string(String)
  /// A reference between objects of a keyed archive.
  case uid(UInt64)
  /// An array of objects.
  case array([Int])
  /// A set of objects.
  case set([Int])
  /// A dictionary: keys and values in file order, in equal numbers.
  case dictionary(keys: [Int], values: [Int])
}

extension PropertyListValue {
  /// The kind of value in words, for messages.
  public var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "integer"
    case .float, .double: "real"
    case .date: "date"
    case .data: "data"
    case .string: "string"
    case .uid: "reference"
    case .array: "array"
    case .set: "set"
    case .dictionary: "dictionary"
    }
  }
}
