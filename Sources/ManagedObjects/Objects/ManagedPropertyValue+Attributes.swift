import DataModels
import Foundation

/// The default behavior of attribute types: the value is stored as it is. A custom type gets it for transformable
/// attributes.
extension ManagedPropertyValue {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Self {
    let value = property.attributeValue(in: object)
    if let value = value as? Self { return value }
    if let absentValue { return absentValue }
    if let standIn = KeyPathRecorder.standIn(Self.self, for: object) { return standIn }
    property.refuse(value, as: Self.self)
  }

  /// See ``ManagedPropertyValue``.
  public static func managedValueIfAny(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Self? {
    // A damaged store may hold a value of another type, which counts as none.
    if property.isBoxed { return property.attributeValue(in: object) as? Self }
    return managedValue(of: property, in: object)
  }

  /// See ``ManagedPropertyValue``.
  public static var absentValue: Self? { nil }

  /// See ``ManagedPropertyValue``.
  public func setManagedValue(of property: ManagedProperty, in object: NSManagedObject) {
    object.writeValue(self, forKey: property.name)
  }
}

extension ManagedProperty {
  var name: String { layout.name }

  /// An attribute's value as returned by key-value coding.
  func attributeValue(in object: NSManagedObject) -> Any? {
    object.value(of: layout)
  }

  /// The value of an attribute that isn't stored as a `Value`: an attribute of undefined type, or a transformable
  /// one. Nil if there is none. A value of another type traps, since the declaration and the model disagree.
  @inline(never)
  func value<Value>(in object: NSManagedObject) -> Value? {
    guard let value = attributeValue(in: object) else { return nil }
    guard let typed = value as? Value else {
      // When only key paths are being recorded, one placeholder value stands for all keys.
      if object.layout.recordsKeys { return nil }
      refuse(value, as: Value.self)
    }
    return typed
  }

  /// The same for numbers, which convert to each other.
  @inline(never)
  func number(in object: NSManagedObject) -> NSNumber? { value(in: object) }

  func refuse<Value>(_ value: Any?, as type: Value.Type) -> Never {
    preconditionFailure(
      "@Managed var \(name): its value is \(value.map { "of type \(Swift.type(of: $0))" } ?? "nil"), "
        + "not a \(type)"
        + (value == nil ? "; declare the property as optional if its store may contain that" : ""))
  }

  /// Whether the store can't guarantee the values' type.
  var isBoxed: Bool { layout.attributeType.isBoxed }

  /// Whether the property is an attribute or to-one relationship without a value. A to-one relationship has none if
  /// there is no context any more, as after an object was deleted and saved; one that was set without a context has.
  func isNull(in object: NSManagedObject) -> Bool {
    switch layout.kind {
    case .attribute: object.storedValue(at: layout.slot).isNull
    case .toOne:
      object.storedValue(at: layout.slot).isNull
        || object.context == nil && object.toOne(layout) == nil
    case .toMany, .fetched: false
    }
  }
}

extension ManagedPropertyValue where Self: FixedWidthInteger {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Self {
    switch object.storedValue(at: property.slot) {
    case .integer(let number): Self(truncatingIfNeeded: number)
    case .real(let number): Self(exactly: number.rounded(.towardZero)) ?? 0
    case .null: 0
    default:
      property.number(in: object).map { number in
        // Foundation's conversion of large decimals isn't exact.
        if !isSigned, let decimal = number as? NSDecimalNumber,
          let whole = Self(decimal.decimalValue.description)
        {
          return whole
        }
        return Self(truncatingIfNeeded: number.int64Value)
      } ?? 0
    }
  }

  /// See ``ManagedPropertyValue``.
  public func setManagedValue(of property: ManagedProperty, in object: NSManagedObject) {
    let number = Int64(truncatingIfNeeded: self)
    switch property.attributeType {
    case .integer64AttributeType:
      object.setAttribute(.integer(number), at: property.slot)
    case .integer32AttributeType:
      object.setAttribute(
        .integer(Int64(Int32(truncatingIfNeeded: number))), at: property.slot)
    case .integer16AttributeType:
      object.setAttribute(
        .integer(Int64(Int16(truncatingIfNeeded: number))), at: property.slot)
    default: object.writeValue(self, forKey: property.name)
    }
  }
}

extension Int: ManagedPropertyValue {}
extension Int8: ManagedPropertyValue {}
extension Int16: ManagedPropertyValue {}
extension Int32: ManagedPropertyValue {}
extension Int64: ManagedPropertyValue {}
extension UInt: ManagedPropertyValue {}
extension UInt8: ManagedPropertyValue {}
extension UInt16: ManagedPropertyValue {}
extension UInt32: ManagedPropertyValue {}
extension UInt64: ManagedPropertyValue {}

extension ManagedPropertyValue where Self: BinaryFloatingPoint {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Self {
    switch object.storedValue(at: property.slot) {
    case .integer(let number): Self(number)
    case .real(let number): Self(number)
    case .null: 0
    default: property.number(in: object).map { Self($0.doubleValue) } ?? 0
    }
  }

  /// See ``ManagedPropertyValue``.
  public func setManagedValue(of property: ManagedProperty, in object: NSManagedObject) {
    switch property.attributeType {
    // A scalar property of a date is its seconds since 2001.
    case .doubleAttributeType, .dateAttributeType:
      object.setAttribute(.real(Double(self)), at: property.slot)
    default: object.writeValue(NSNumber(value: Double(self)), forKey: property.name)
    }
  }
}

extension Double: ManagedPropertyValue {}
extension Float: ManagedPropertyValue {}

extension Bool: ManagedPropertyValue {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Bool {
    switch object.storedValue(at: property.slot) {
    case .integer(let number): number != 0
    case .real(let number): number != 0
    case .null: false
    default: property.number(in: object)?.boolValue ?? false
    }
  }
}

extension String: ManagedPropertyValue {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> String {
    switch object.storedValue(at: property.slot) {
    case .text(let text): text
    case .null: ""
    default: property.value(in: object) ?? ""
    }
  }

  /// See ``ManagedPropertyValue``.
  public func setManagedValue(of property: ManagedProperty, in object: NSManagedObject) {
    guard property.attributeType == .stringAttributeType else {
      return object.writeValue(self, forKey: property.name)
    }
    object.setAttribute(.text(self), at: property.slot)
  }
}

extension Date: ManagedPropertyValue {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Date {
    switch object.storedValue(at: property.slot) {
    case .real(let seconds) where property.attributeType == .dateAttributeType:
      Date(timeIntervalSinceReferenceDate: seconds)
    case .null: Date(timeIntervalSinceReferenceDate: 0)
    default: property.value(in: object) ?? Date(timeIntervalSinceReferenceDate: 0)
    }
  }

  /// See ``ManagedPropertyValue``.
  public func setManagedValue(of property: ManagedProperty, in object: NSManagedObject) {
    guard property.attributeType == .dateAttributeType else {
      return object.writeValue(self, forKey: property.name)
    }
    object.setAttribute(.real(timeIntervalSinceReferenceDate), at: property.slot)
  }
}

extension Data: ManagedPropertyValue {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Data {
    switch object.storedValue(at: property.slot) {
    case .data(let data) where property.attributeType == .binaryDataAttributeType: data
    case .null: Data()
    default: property.value(in: object) ?? Data()
    }
  }
}

extension Decimal: ManagedPropertyValue {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Decimal {
    property.number(in: object)?.decimalValue ?? 0
  }
}

extension UUID: ManagedPropertyValue {
  /// All zeros.
  public static var absentValue: UUID? {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
}

extension URL: ManagedPropertyValue {
  /// `about:blank`.
  public static var absentValue: URL? { URL(string: "about:blank") }
}

extension NSNumber: ManagedPropertyValue {}

/// The values of a composite attribute by element name, or a transformable dictionary.
extension Dictionary: ManagedPropertyValue {
  /// Empty.
  public static var absentValue: [Key: Value]? { [:] }
}

extension Optional: ManagedPropertyValue where Wrapped: ManagedPropertyValue {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Wrapped? {
    guard !property.isNull(in: object) else {
      return object.layout.recordsKeys ? KeyPathRecorder.standIn(Wrapped.self, for: object) : nil
    }
    return Wrapped.managedValueIfAny(of: property, in: object)
  }

  /// Nil.
  public static var absentValue: Wrapped?? { .some(nil) }

  /// See ``ManagedPropertyValue``.
  public func setManagedValue(of property: ManagedProperty, in object: NSManagedObject) {
    if let self {
      self.setManagedValue(of: property, in: object)
    } else {
      object.writeValue(nil, forKey: property.name)
    }
  }
}
