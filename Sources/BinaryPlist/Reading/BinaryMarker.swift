/// The kind of an object, from the byte it begins with.
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
  /// Text of 7-bit units.
  case ascii
  /// Text of UTF-16 units, big-endian.
  case utf16
  /// A reference of a keyed archive.
  case uid
  /// An array.
  case array
  /// A set.
  case set
  /// A dictionary.
  case dictionary
  /// A byte no object begins with.
  case invalid

  /// The kind of an object that begins with a byte.
  public init(_ byte: UInt8) {
    switch (byte >> 4, byte & 15) {
    case (0x0, 0x0): self = .null
    case (0x0, 0x8), (0x0, 0x9): self = .boolean
    case (0x1, 0...4): self = .integer
    case (0x2, 2...3): self = .real
    case (0x3, 0x3): self = .date
    case (0x4, _): self = .data
    case (0x5, _): self = .ascii
    case (0x6, _): self = .utf16
    case (0x8, 0...7): self = .uid
    case (0xA, _): self = .array
    case (0xC, _): self = .set
    case (0xD, _): self = .dictionary
    default: self = .invalid
    }
  }

  /// Whether such objects hold others.
  public var isContainer: Bool { self == .array || self == .set || self == .dictionary }
}
