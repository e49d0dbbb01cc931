import Foundation
import PredicateFormat

/// A compact, typed default value.
///
/// Most defaults are numbers and short strings; the enumeration stores those without an allocation (in 24 bytes, while
/// an existential takes 32). The representation of the file is preserved: an integer of a Boolean attribute stays an
/// integer, so that it is written back unchanged.
package enum AttributeValue: @unchecked Sendable {
  // Sendable: immutable.
  case none
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case float(Float)
  case string(String)
  /// A `Decimal`, `Date`, `Data`, `UUID`, `URL`, or an object of any class.
  case other(Box)

  /// Holds a value that is too large for the enumeration.
  package final class Box: @unchecked Sendable {
    // Sendable: immutable.
    package let value: Any

    package init(_ value: Any) {
      self.value = value
    }
  }
}

extension AttributeValue {
  /// Converts a value in any of its Swift or Foundation representations.
  package init(_ value: Any?) {
    guard let value else {
      self = .none
      return
    }
    switch value {
    case let object as AnyObject where type(of: value) is AnyClass:
      self.init(object: object)
    case let value as Bool: self = .bool(value)
    case let value as Double: self = .double(value)
    case let value as Float: self = .float(value)
    case let value as String: self = .string(value)
    case let value as any FixedWidthInteger:
      self = Int64(exactly: value).map { .integer($0) } ?? .other(Box(value))
    case let value as AttributeValue: self = value
    default: self = .other(Box(value))
    }
  }

  /// Converts an instance of one of Foundation's value classes, or of any other class.
  private init(object: AnyObject) {
    switch object {
    case let number as NSDecimalNumber: self = .other(Box(number.decimalValue))
    case let number as NSNumber: self.init(number: number)
    case let string as NSString: self = .string("\(string)")
    case let date as NSDate:
      self = .other(Box(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)))
    case let data as NSData: self = .other(Box(Data(referencing: data)))
    case let uuid as NSUUID: self = .other(Box(UUID(uuidString: uuid.uuidString) ?? UUID()))
    case let url as NSURL: self = .other(Box(url as URL))
    case is NSNull: self = .none
    default: self = .other(Box(object))
    }
  }

  private init(number: NSNumber) {
    switch String(cString: number.objCType) {
    case "c" where type(of: number) != NSNumber.self: self = .bool(number.boolValue)
    case "d": self = .double(number.doubleValue)
    case "f": self = .float(number.floatValue)
    default: self = .integer(number.int64Value)
    }
  }

  /// The value as its Swift type; `nil` for none. Integers are `Int`.
  package var any: Any? {
    switch self {
    case .none: nil
    case .bool(let value): value
    case .integer(let value): Int(exactly: value) ?? value
    case .double(let value): value
    case .float(let value): value
    case .string(let value): value
    case .other(let box): box.value
    }
  }

  /// The value as programs get it, as values of objects are: numbers are an `NSNumber` or `NSDecimalNumber`, which can be
  /// cast to every Swift type that holds them; the others are of their Swift types. Nil for none.
  var bridged: Any? {
    switch self {
    case .none: nil
    case .bool(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .float(let value): NSNumber(value: value)
    case .string(let value): value
    case .other(let box):
      (box.value as? Decimal).map { HashableDecimalNumber(decimal: $0) } ?? box.value
    }
  }

  /// Whether there is no value.
  package var isNone: Bool {
    if case .none = self { true } else { false }
  }
}
