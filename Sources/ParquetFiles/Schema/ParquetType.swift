/// What the values of a column are.
package enum ParquetType: Hashable, Sendable {
  /// The unit of a point in time.
  package enum Unit: String, Hashable, Sendable {
    case microseconds, nanoseconds
  }

  case boolean
  /// A signed integer of 8, 16, 32 or 64 bits.
  case integer(bits: Int)
  case float
  case double
  /// A decimal number: an integer of at most `precision` digits (38 at most), of which `scale` stand after the point.
  case decimal(precision: Int, scale: Int)
  /// A point in time in UTC: an integer of units since 1970.
  case timestamp(Unit)
  /// 16 bytes.
  case uuid
  /// UTF-8.
  case text
  /// JSON in UTF-8.
  case json
  case bytes
}

extension ParquetType {
  /// How values are stored, by the format's numbers.
  enum Physical: Int32 {
    case boolean = 0
    case int32 = 1
    case int64 = 2
    case float = 4
    case double = 5
    case byteArray = 6
    case fixedLengthByteArray = 7
  }

  var physical: Physical {
    switch self {
    case .boolean: .boolean
    case .integer(let bits): bits <= 32 ? .int32 : .int64
    case .float: .float
    case .double: .double
    case .decimal(let precision, _): precision <= 18 ? .int64 : .fixedLengthByteArray
    case .timestamp: .int64
    case .uuid: .fixedLengthByteArray
    case .text, .json, .bytes: .byteArray
    }
  }

  /// The size of values that have all the same; nil for the others. Booleans are bits.
  var width: Int? {
    switch physical {
    case .boolean: 0
    case .int32, .float: 4
    case .int64, .double: 8
    case .fixedLengthByteArray: 16
    case .byteArray: nil
    }
  }

  /// The type's name, as databases spell it.
  package var name: String {
    switch self {
    case .boolean: "BOOLEAN"
    case .integer(let bits): "INT\(bits)"
    case .float: "FLOAT"
    case .double: "DOUBLE"
    case .decimal(let precision, let scale): "DECIMAL(\(precision), \(scale))"
    case .timestamp(.microseconds): "TIMESTAMP(MICROS, UTC)"
    case .timestamp(.nanoseconds): "TIMESTAMP(NANOS, UTC)"
    case .uuid: "UUID"
    case .text: "STRING"
    case .json: "JSON"
    case .bytes: "BYTE_ARRAY"
    }
  }
}
