import Foundation

/// A decimal number that can be a member of a set or a key of a dictionary.
///
/// The hash of Foundation's own calls itself on Linux until the stack ends, and so does that of a `Decimal` in an `NSSet`.
/// Numbers that are handed to programs are of this class, since a program may collect what it gets.
///
/// It is Sendable as every number is: its value never changes, and it adds no fields.
package final class HashableDecimalNumber: NSDecimalNumber, @unchecked Sendable {
  package override init(decimal: Decimal) { super.init(decimal: decimal) }

  required init?(coder: NSCoder) { super.init(coder: coder) }

  #if !canImport(ObjectiveC)
    required convenience init(floatLiteral value: Double) { self.init(decimal: Decimal(value)) }

    required convenience init(integerLiteral value: Int) { self.init(decimal: Decimal(value)) }

    required convenience init(booleanLiteral value: Bool) { self.init(decimal: value ? 1 : 0) }

    required convenience init(bytes: UnsafeRawPointer, objCType type: UnsafePointer<CChar>) {
      self.init(decimal: NSNumber(bytes: bytes, objCType: type).decimalValue)
    }
  #endif

  /// A value as one that can be hashed: a decimal number of Foundation's as one of this class, any other as it is.
  package static func hashable(_ value: Any) -> Any {
    switch value {
    case is HashableDecimalNumber: value
    case let number as Decimal where type(of: value) == Decimal.self:
      HashableDecimalNumber(decimal: number)
    case let number as NSDecimalNumber where type(of: value) is NSDecimalNumber.Type:
      HashableDecimalNumber(decimal: number.decimalValue)
    default: value
    }
  }

  /// The hash of every other number that is equal.
  package override var hash: Int {
    NSNumber(value: Double(decimalValue.description) ?? doubleValue).hash
  }

  package override var classForCoder: AnyClass { NSDecimalNumber.self }
}
