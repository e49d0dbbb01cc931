/// A decimal number as `NSDecimalNumber` archives it: up to eight 16-bit limbs and a power of ten.
public struct ArchiveDecimal: Hashable, Sendable {
  /// Whether the number is negative. A negative number with a mantissa of zero is not a number (NaN).
  public var isNegative: Bool
  /// The power of ten by which the mantissa is multiplied: −128 to 127.
  public var exponent: Int
  /// The mantissa.
  public var mantissa: UInt128
  /// The number of limbs that the archive says are in use, usually as many as the mantissa needs.
  public var length: Int
  /// Whether the archive says that the mantissa is as short as possible.
  public var isCompact: Bool

  /// Creates a decimal number.
  public init(
    mantissa: UInt128, exponent: Int = 0, isNegative: Bool = false, isCompact: Bool = false
  ) {
    self.mantissa = mantissa
    self.exponent = exponent
    self.isNegative = isNegative
    self.isCompact = isCompact
    length = (128 - mantissa.leadingZeroBitCount + 15) / 16
  }

  /// Whether the value is not a number (NaN).
  public var isNaN: Bool { isNegative && length == 0 }

  /// The limbs, lowest first, as the 16 little-endian bytes of `NS.mantissa`.
  public var mantissaBytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: mantissa >> UInt128($0 * 8)) }
  }

  /// Reads the fields of an archived decimal number.
  ///
  /// - Returns: `nil` when the fields do not form a decimal number.
  public init?(fields: [ArchiveField]) {
    self.init(mantissa: 0)
    var isLittleEndian = true
    var bytes: [UInt8] = []
    for field in fields {
      switch (field.key, field.value) {
      case ("NS.exponent", .integer(let value, _)):
        guard (-128...127).contains(value) else { return nil }
        exponent = Int(value)
      case ("NS.length", .integer(let value, _)):
        guard (0...8).contains(value) else { return nil }
        length = Int(value)
      case ("NS.negative", .boolean(let value)): isNegative = value
      case ("NS.compact", .boolean(let value)): isCompact = value
      case ("NS.mantissa.bo", .integer(let value, _)): isLittleEndian = value == 1
      case ("NS.mantissa", .data(let value)): bytes = value
      default: break
      }
    }
    guard bytes.count == 16 else { return nil }
    for limb in (0..<length).reversed() {
      let low = UInt128(bytes[limb * 2 + (isLittleEndian ? 0 : 1)])
      let high = UInt128(bytes[limb * 2 + (isLittleEndian ? 1 : 0)])
      mantissa = mantissa << 16 | high << 8 | low
    }
  }

  /// A field of an archived decimal number.
  enum Field {
    case boolean(Bool), integer(Int), bytes([UInt8])
  }

  /// Passes each field to a closure, in encoding order.
  func put(_ field: (String, Field) -> Void) {
    field("NS.exponent", .integer(exponent))
    field("NS.length", .integer(length))
    field("NS.negative", .boolean(isNegative))
    field("NS.compact", .boolean(isCompact))
    field("NS.mantissa.bo", .integer(1))
    field("NS.mantissa", .bytes(mantissaBytes))
  }
}
