import DataModels
import Foundation

/// What every attribute's type does unless it knows better: the value is kept as it is. This is what
/// a type of your own gets for a transformable attribute.
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
    // What a damaged store holds may not be of the type: as good as nothing.
    if property.isBoxed { return property.attributeValue(in: object) as? Self }
    return managedValue(of: property, in: object)
  }

  /// See ``ManagedPropertyValue``.
  public static var absentValue: Self? { nil }

  /// See ``ManagedPropertyValue``.
  public func setManagedValue(of property: ManagedProperty, in object: NSManagedObject) {
    object.setValue(self, forKey: property.name)
  }
}

extension ManagedProperty {
  var name: String { layout.name }

  /// An attribute's value as key-value coding gives it.
  func attributeValue(in object: NSManagedObject) -> Any? {
    object.value(of: layout)
  }

  /// The value of an attribute whose values aren't kept as `Value`s are: one without a type of its own, or a
  /// transformable one. Nil for none; anything else traps, since the declaration and the model disagree.
  @inline(never)
  func value<Value>(in object: NSManagedObject) -> Value? {
    guard let value = attributeValue(in: object) else { return nil }
    guard let typed = value as? Value else {
      // What only notes which keys are read has one value for all of them.
      if object.layout.recordsKeys { return nil }
      refuse(value, as: Value.self)
    }
    return typed
  }

  /// The same for numbers, which convert into each other.
  @inline(never)
  func number(in object: NSManagedObject) -> NSNumber? { value(in: object) }

  func refuse<Value>(_ value: Any?, as type: Value.Type) -> Never {
    preconditionFailure(
      "@Managed var \(name): its value is \(value.map { "of type \(Swift.type(of: $0))" } ?? "nil"), "
        + "not a \(type)"
        + (value == nil ? "; a property whose store may say so is to be declared optional" : ""))
  }

  /// Whether values are of a type that the store can't be held to.
  var isBoxed: Bool { layout.attributeType.isBoxed }

  /// Whether the property is an attribute or to-one without a value. A to-one leads nowhere where there is no
  /// context any more, as with objects that were deleted and saved.
  func isNull(in object: NSManagedObject) -> Bool {
    switch layout.kind {
    case .attribute: object.storedValue(at: layout.slot).isNull
    case .toOne: object.storedValue(at: layout.slot).isNull || object.context == nil
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
    default: property.number(in: object).map { Self(truncatingIfNeeded: $0.int64Value) } ?? 0
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
    default: object.setValue(NSNumber(value: number), forKey: property.name)
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
    guard property.attributeType == .doubleAttributeType else {
      return object.setValue(NSNumber(value: Double(self)), forKey: property.name)
    }
    object.setAttribute(.real(Double(self)), at: property.slot)
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
      return object.setValue(self, forKey: property.name)
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
      return object.setValue(self, forKey: property.name)
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

/// A composite attribute's values by the names of its elements, or a transformable dictionary.
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
      object.setValue(nil, forKey: property.name)
    }
  }
}
