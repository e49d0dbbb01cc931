import Foundation

/// Accessors of types unknown to MomKit: with the Objective-C runtime a managed property may have any class, or a
/// numeric enumeration, as its type.
extension NSManagedObject {
  /// The value of a property, in a type that isn't a ``ManagedPropertyValue``.
  ///
  /// A value of another type, or a missing one if the type isn't optional, is a programmer error and traps.
  @_disfavoredOverload
  public final func managed<Value>(_ key: String) -> Value {
    let value = value(forKey: key)
    // A cast to `Any` would wrap the optional itself.
    if let value, let given = value as? Value { return given }
    guard let value = value as? Value,
      !(value is any OptionalValue) || Value.self is any OptionalValue.Type
    else { wrongType(value, wanted: Value.self, key: key) }
    return value
  }

  /// Sets a property to a value of a type that isn't a ``ManagedPropertyValue``.
  @_disfavoredOverload
  public final func setManaged<Value>(_ value: Value, _ key: String) {
    // An overridden `setValue(_:forKey:)` may use the property.
    writeValue(Self.unwrapped(value), forKey: key)
  }

  /// The value of a property that stores an enumeration's raw value.
  @_disfavoredOverload
  public final func managed<Value: RawRepresentable>(_ key: String) -> Value
  where Value.RawValue: ManagedPropertyValue {
    let rawValue: Value.RawValue = managed(key)
    guard let value = Value(rawValue: rawValue) else {
      wrongType(rawValue, wanted: Value.self, key: key)
    }
    return value
  }

  /// The value of a property that stores an enumeration's raw value; nil also if the enumeration has no such case.
  @_disfavoredOverload
  public final func managed<Value: RawRepresentable>(_ key: String) -> Value?
  where Value.RawValue: ManagedPropertyValue {
    let rawValue: Value.RawValue? = managed(key)
    return rawValue.flatMap(Value.init(rawValue:))
  }

  /// Sets a property to an enumeration's raw value.
  @_disfavoredOverload
  public final func setManaged<Value: RawRepresentable>(_ value: Value, _ key: String)
  where Value.RawValue: ManagedPropertyValue {
    setManaged(value.rawValue, key)
  }

  /// Sets a property to an enumeration's raw value, or to nil.
  @_disfavoredOverload
  public final func setManaged<Value: RawRepresentable>(_ value: Value?, _ key: String)
  where Value.RawValue: ManagedPropertyValue {
    setManaged(value?.rawValue, key)
  }

  // MARK: Primitive values

  /// The primitive value of a property, as returned by `@NSManaged var primitiveNAME`. A missing value reads as 0 or
  /// empty if the type is numeric or text.
  public final func managedPrimitive<Value>(_ key: String) -> Value {
    let primitive = primitiveValue(forKey: key)
    if let value = primitive as? Value { return value }
    // Outside Apple's systems, Foundation casts a number only to the type it was created from.
    if let type = Value.self as? any FixedWidthInteger.Type,
      let value = type.init(truncatingIfNeeded: (primitive as? NSNumber)?.int64Value ?? 0) as? Value
    {
      return value
    }
    if let type = Value.self as? any BinaryFloatingPoint.Type,
      let value = type.init(Self.number(of: primitive) ?? 0) as? Value
    {
      return value
    }
    if primitive == nil {
      if let absent = false as? Value { return absent }
      if let absent = "" as? Value { return absent }
    }
    wrongType(primitive, wanted: Value.self, key: key)
  }

  /// Sets the primitive value of a property.
  public final func setManagedPrimitive<Value>(_ value: Value, _ key: String) {
    let given = Self.unwrapped(value)
    if layout.property(key)?.attributeType == .dateAttributeType,
      let seconds = given as? any BinaryFloatingPoint
    {
      let date = Date(timeIntervalSinceReferenceDate: Double(seconds))
      return setPrimitiveValue(date, forKey: key)
    }
    setPrimitiveValue(given, forKey: key)
  }

  /// The primitive value of a property that stores an enumeration's raw value.
  public final func managedPrimitive<Value: RawRepresentable>(_ key: String) -> Value
  where Value.RawValue: ManagedPropertyValue {
    let rawValue: Value.RawValue = managedPrimitive(key)
    guard let value = Value(rawValue: rawValue) else {
      wrongType(rawValue, wanted: Value.self, key: key)
    }
    return value
  }

  /// The primitive value of a property that stores an enumeration's raw value; nil also if the enumeration has no such
  /// case.
  public final func managedPrimitive<Value: RawRepresentable>(_ key: String) -> Value?
  where Value.RawValue: ManagedPropertyValue {
    guard primitiveValue(forKey: key) != nil else { return nil }
    let rawValue: Value.RawValue = managedPrimitive(key)
    return Value(rawValue: rawValue)
  }

  /// Sets the primitive value of a property to an enumeration's raw value.
  public final func setManagedPrimitive<Value: RawRepresentable>(_ value: Value, _ key: String)
  where Value.RawValue: ManagedPropertyValue {
    setManagedPrimitive(value.rawValue, key)
  }

  /// Sets the primitive value of a property to an enumeration's raw value, or to nil.
  public final func setManagedPrimitive<Value: RawRepresentable>(_ value: Value?, _ key: String)
  where Value.RawValue: ManagedPropertyValue {
    setManagedPrimitive(value?.rawValue, key)
  }

  /// A primitive number; of a date, its seconds since 2001.
  private static func number(of primitive: Any?) -> Double? {
    (primitive as? NSNumber)?.doubleValue
      ?? (primitive as? Date)?.timeIntervalSinceReferenceDate
  }

  private static func unwrapped<Value>(_ value: Value) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.anyValue
  }

  private func wrongType<Value>(_ value: Any?, wanted type: Value.Type, key: String) -> Never {
    preconditionFailure(
      "\(Self.self).\(key): its value is \(value.map { "of type \(Swift.type(of: $0))" } ?? "nil"), "
        + "not a \(Value.self)")
  }
}

/// An optional of any type.
private protocol OptionalValue {
  var anyValue: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var anyValue: Any? { self }
}
