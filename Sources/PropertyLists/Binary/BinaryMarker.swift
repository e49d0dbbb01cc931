/// The kind of an object, as given by its first byte.
public enum BinaryMarker: UInt8, Hashable, Sendable {
  /// The null object.
  case null
  /// `true` or `false`.
  case boolean
  /// An integer of 1 to 16 bytes.
  case integer
  /// A 32- or 64-bit floating-point number.
  case real
  /// Seconds since 2001-01-01.
  case date
  /// Bytes.
  case data
  /// A string of 7-bit units.
  case ascii
  /// A string of big-endian UTF-16 units.
  case utf16
  /// A reference of a keyed archive.
  case uid
  /// An array.
  case array
  /// A set.
  case set
  /// A dictionary.
  case dictionary
  /// A byte with which no object begins.
  case invalid

  /// The kind of an object that begins with a byte.
  @inlinable @inline(__always)
  public init(_ byte: UInt8) {
    let low = byte & 15
    switch byte >> 4 {
    case 0x0: self = low == 0 ? .null : low == 8 || low == 9 ? .boolean : .invalid
    case 0x1: self = low <= 4 ? .integer : .invalid
    case 0x2: self = low == 2 || low == 3 ? .real : .invalid
    case 0x3: self = low == 3 ? .date : .invalid
    case 0x4: self = .data
    case 0x5: self = .ascii
    case 0x6: self = .utf16
    case 0x8: self = low <= 7 ? .uid : .invalid
    case 0xA: self = .array
    case 0xC: self = .set
    case 0xD: self = .dictionary
    default: self = .invalid
    }
  }

  /// Whether objects of this kind contain others.
  public var isContainer: Bool { self == .array || self == .set || self == .dictionary }
}
