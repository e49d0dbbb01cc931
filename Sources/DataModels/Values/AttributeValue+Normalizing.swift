import Foundation

extension AttributeValue {
  /// The value in the canonical representation of an attribute type, or `nil` when it doesn't fit.
  ///
  /// Only the representation changes, never the value: an integer fits a Double attribute, 0 and 1 fit a Boolean one,
  /// and a number out of the type's range doesn't fit. `none` fits every type; any value fits an undefined,
  /// transformable or composite attribute.
  package func normalized(for type: NSAttributeType) -> AttributeValue? {
    if isNone { return self }
    switch type {
    case .undefinedAttributeType, .transformableAttributeType, .compositeAttributeType,
      .objectIDAttributeType:
      return self
    case .integer16AttributeType: return integer(in: Int64(Int16.min)...Int64(Int16.max))
    case .integer32AttributeType: return integer(in: Int64(Int32.min)...Int64(Int32.max))
    case .integer64AttributeType: return integer(in: .min ... .max)
    case .doubleAttributeType: return number.map { .double($0) }
    case .floatAttributeType: return float.map { .float($0) }
    case .booleanAttributeType: return boolean.map { .bool($0) }
    case .decimalAttributeType: return decimal.map { .other(Box($0)) }
    case .stringAttributeType:
      if case .string = self { return self }
      return nil
    case .dateAttributeType: return holding(Date.self)
    case .binaryDataAttributeType: return holding(Data.self)
    case .UUIDAttributeType: return holding(UUID.self)
    case .URIAttributeType: return holding(URL.self)
    }
  }

  private func integer(in range: ClosedRange<Int64>) -> AttributeValue? {
    let whole: Int64?
    switch self {
    case .integer(let value): whole = value
    case .bool(let value): whole = value ? 1 : 0
    case .double(let value): whole = Int64(exactly: value)
    case .float(let value): whole = Int64(exactly: value)
    default: whole = nil
    }
    guard let whole, range.contains(whole) else { return nil }
    return .integer(whole)
  }

  private var number: Double? {
    switch self {
    case .double(let value): value
    case .float(let value): Double(value)
    case .integer(let value): Double(exactly: value)
    case .other(let box): (box.value as? Decimal).map { NSDecimalNumber(decimal: $0).doubleValue }
    default: nil
    }
  }

  private var float: Float? {
    switch self {
    case .float(let value): value
    case .double(let value): Float(value).isFinite == value.isFinite ? Float(value) : nil
    case .integer(let value): Float(exactly: value)
    default: nil
    }
  }

  private var boolean: Bool? {
    switch self {
    case .bool(let value): value
    case .integer(0), .double(0): false
    case .integer(1), .double(1): true
    default: nil
    }
  }

  private var decimal: Decimal? {
    switch self {
    case .integer(let value): Decimal(value)
    case .double(let value): Decimal(string: "\(value)")
    case .other(let box): box.value as? Decimal
    default: nil
    }
  }

  private func holding<Value>(_ type: Value.Type) -> AttributeValue? {
    guard case .other(let box) = self, box.value is Value else { return nil }
    return self
  }
}
