import DataModels
import Foundation
import PredicateFormat

/// Conversion of attribute values between public types and ``StoredValue``.
enum AttributeCodec {
  /// The public form of a stored value, with the types of Core Data's key-value coding, so that casts to any Swift
  /// number type work as they do there.
  static func object(_ value: StoredValue, type: NSAttributeType) -> Any? {
    switch value {
    case .null: return nil
    case .integer(let number):
      return type == .booleanAttributeType
        ? NSNumber(value: number != 0) : NSNumber(value: number)
    case .real(let number):
      switch type {
      case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: number)
      case .floatAttributeType: return NSNumber(value: Float(number))
      default: return NSNumber(value: number)
      }
    case .text(let text): return text
    case .data(let data): return data
    case .reference(let id): return id
    case .box(let box):
      if let decimal = box.value as? Decimal { return HashableDecimalNumber(decimal: decimal) }
      return box.value
    }
  }

  /// The stored form of a value given by a program; nil if it isn't valid for the attribute type.
  static func stored(_ value: Any?, type: NSAttributeType) -> StoredValue? {
    guard let value else { return .null }
    // Common cases first: checking for nested optionals is the most expensive part, and bridging numbers the next.
    if Swift.type(of: value) == NSNumber.self, let number = value as? NSNumber {
      switch type {
      case .integer64AttributeType: return .integer(number.int64Value)
      case .doubleAttributeType: return .real(number.doubleValue)
      default: break
      }
    }
    switch (type, value) {
    case (.stringAttributeType, let text as String): return .text(text)
    case (.integer64AttributeType, let number as Int): return .integer(Int64(number))
    case (.doubleAttributeType, let number as Double): return .real(number)
    default: break
    }
    guard let value = unwrapped(value) else { return .null }
    switch type {
    case .integer16AttributeType:
      return integer(value).map { .integer(Int64(Int16(truncatingIfNeeded: $0))) }
    case .integer32AttributeType:
      return integer(value).map { .integer(Int64(Int32(truncatingIfNeeded: $0))) }
    case .integer64AttributeType: return integer(value).map { .integer($0) }
    case .booleanAttributeType: return integer(value).map { .integer($0 == 0 ? 0 : 1) }
    case .doubleAttributeType: return double(value).map { .real($0) }
    case .floatAttributeType: return double(value).map { .real(Double(Float($0))) }
    case .decimalAttributeType: return decimal(value).map { .box(ValueBox($0)) }
    case .stringAttributeType: return (value as? String).map { .text($0) }
    case .dateAttributeType:
      return (value as? Date).map { .real($0.timeIntervalSinceReferenceDate) }
    case .binaryDataAttributeType: return (value as? Data).map { .data($0) }
    case .UUIDAttributeType: return (value as? UUID).map { .box(ValueBox($0)) }
    case .URIAttributeType: return (value as? URL).map { .box(ValueBox($0)) }
    case .compositeAttributeType:
      // Stores have no columns that would tell a value without elements from none.
      return (value as? [String: Any]).map { hasElements($0) ? .box(ValueBox($0)) : .null }
    case .objectIDAttributeType: return (value as? NSManagedObjectID).map { .reference($0) }
    case .transformableAttributeType, .undefinedAttributeType: return .box(ValueBox(value))
    }
  }

  /// The value that an attribute has in new objects.
  ///
  /// A composite attribute without a default of its own has the defaults of its elements. No documentation says so;
  /// but migration fills the elements' columns with them, and a new object shouldn't differ from a migrated one.
  static func defaultValue(of attribute: NSAttributeDescription) -> StoredValue {
    if let composite = attribute as? NSCompositeAttributeDescription,
      !composite.hasListableElements
    {
      return stored(attribute.swiftDefaultValue, type: attribute.attributeType) ?? .null
    }
    return defaultValue(ofListable: attribute)
  }

  private static func defaultValue(ofListable attribute: NSAttributeDescription) -> StoredValue {
    let own = stored(attribute.swiftDefaultValue, type: attribute.attributeType) ?? .null
    guard own.isNull, let composite = attribute as? NSCompositeAttributeDescription else {
      return own
    }
    var values: [String: Any] = [:]
    for element in composite.elements where !element.isTransient {
      values[element.name] = object(
        defaultValue(ofListable: element), type: element.attributeType)
    }
    return values.isEmpty ? .null : .box(ValueBox(values))
  }

  /// Whether a composite's value has an element.
  private static func hasElements(_ values: [String: Any]) -> Bool {
    values.values.contains { value in
      guard let value = unwrapped(value) else { return false }
      return (value as? [String: Any]).map(hasElements) ?? true
    }
  }

  /// A value without `NSNull` and nested optionals.
  static func unwrapped(_ value: Any?) -> Any? {
    guard let value, !(value is NSNull) else { return nil }
    guard let optional = value as? any AnyOptional else { return value }
    return optional.wrappedValue.flatMap { unwrapped($0) }
  }

  private static func integer(_ value: Any) -> Int64? {
    switch value {
    case let number as Int: Int64(number)
    case let number as NSNumber: number.int64Value
    case let flag as Bool: flag ? 1 : 0
    case let number as any BinaryInteger: Int64(truncatingIfNeeded: number)
    case let number as Double: Int64(exactly: number.rounded(.towardZero)) ?? 0
    case let number as Float: Int64(exactly: number.rounded(.towardZero)) ?? 0
    case let number as Decimal: NSDecimalNumber(decimal: number).int64Value
    case let number as any BinaryFloatingPoint:
      Int64(exactly: Double(number).rounded(.towardZero)) ?? 0
    default: nil
    }
  }

  private static func double(_ value: Any) -> Double? {
    switch value {
    case let number as Double: number
    case let number as Float: Double(number)
    case let number as NSNumber: number.doubleValue
    case let number as any BinaryInteger: Double(number)
    case let number as Decimal: Double(number.description)
    case let number as any BinaryFloatingPoint: Double(number)
    default: nil
    }
  }

  /// The decimal number of a number of any type; not a number (NaN) if there is none, as for an infinite value.
  static func decimal(_ value: Any) -> Decimal? {
    switch value {
    case let number as Decimal: number
    case let number as NSDecimalNumber: number.decimalValue
    case let number as Int: Decimal(number)
    case let number as any BinaryInteger: Decimal(string: "\(number)")
    // Foundation's own conversion ends the program for an infinite value.
    case let number as NSNumber: Decimal(meantBy: number.doubleValue) ?? .nan
    case let number as any BinaryFloatingPoint: Decimal(meantBy: Double(number)) ?? .nan
    default: nil
    }
  }
}

extension NSAttributeType {
  /// Whether values are stored as arbitrary objects, without a guaranteed type.
  var isBoxed: Bool {
    switch self {
    case .UUIDAttributeType, .URIAttributeType, .compositeAttributeType,
      .transformableAttributeType:
      true
    case .undefinedAttributeType, .integer16AttributeType, .integer32AttributeType,
      .integer64AttributeType, .decimalAttributeType, .doubleAttributeType, .floatAttributeType,
      .stringAttributeType, .booleanAttributeType, .dateAttributeType, .binaryDataAttributeType,
      .objectIDAttributeType:
      false
    }
  }

  /// The stored form of a number of another type, with whole numbers clamped to the type's range. Nil if this isn't a
  /// numeric type.
  func stored(whole: Int64, real: Double) -> StoredValue? {
    switch columnKind {
    case .boolean: .integer(real == 0 ? 0 : 1)
    case .integer(let range): .integer(min(max(whole, range.lowerBound), range.upperBound))
    case .real: .real(self == .floatAttributeType ? Double(Float(real)) : real)
    case .decimal: Decimal(meantBy: real).map { .box(ValueBox($0)) }
    case .date, .text, .url, .uuid, .bytes, .transformable, .none: nil
    }
  }
}

/// An optional of any type, for unwrapping.
protocol AnyOptional {
  static var wrappedType: Any.Type { get }
  var wrappedValue: Any? { get }
}

extension Optional: AnyOptional {
  static var wrappedType: Any.Type { Wrapped.self }
  var wrappedValue: Any? { map { $0 } }
}
