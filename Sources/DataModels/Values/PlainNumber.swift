import Foundation

/// A number as property lists tell numbers apart, whatever type it has in the program.
package enum PlainNumber {
  case boolean(Bool)
  case integer(Int)
  /// An integer over the largest signed one.
  case unsigned(UInt64)
  case real(Double)
  case decimal(Decimal)

  /// Classifies a number of Swift's or Foundation's; nil for any other value.
  package init?(_ value: Any) {
    // By type first: on Linux a cast would turn any of Foundation's numbers into a Boolean.
    if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
      self.init(number: number)
      return
    }
    switch value {
    case let flag as Bool: self = .boolean(flag)
    case let number as any FixedWidthInteger: self.init(number)
    case let number as any BinaryFloatingPoint: self = .real(Double(number))
    case let number as Decimal: self = .decimal(number)
    default: return nil
    }
  }

  private init(number: NSNumber) {
    if let decimal = number as? NSDecimalNumber {
      self = .decimal(decimal.decimalValue)
      return
    }
    // The type of a Boolean may also be that of an integer of 8 bits.
    if number === NSNumber(value: true) || number === NSNumber(value: false) {
      self = .boolean(number.boolValue)
      return
    }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"): self = .real(number.doubleValue)
    case UInt8(ascii: "Q"): self.init(number.uint64Value)
    default: self = .integer(number.intValue)
    }
  }

  private init(_ number: some FixedWidthInteger) {
    if let small = Int(exactly: number) {
      self = .integer(small)
    } else if let large = UInt64(exactly: number) {
      self = .unsigned(large)
    } else {
      self = .real(Double(number))
    }
  }
}
