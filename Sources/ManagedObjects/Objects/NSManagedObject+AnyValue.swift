import Foundation

/// Accessors of types that MomKit knows nothing of: with the Objective-C runtime a managed property may be of
/// any class, or of an enumeration of numbers.
extension NSManagedObject {
  /// The value of a property, in a type that isn't a ``ManagedPropertyValue``.
  ///
  /// A value of another type, or none where the type isn't optional, is a programmer's error and traps.
  @_disfavoredOverload
  public final func managed<Value>(_ key: String) -> Value {
    let value = value(forKey: key)
    guard let value = value as? Value else { wrongType(value, wanted: Value.self, key: key) }
    return value
  }

  /// Sets a property to a value of a type that isn't a ``ManagedPropertyValue``.
  @_disfavoredOverload
  public final func setManaged<Value>(_ value: Value, _ key: String) {
    setValue(Self.unwrapped(value), forKey: key)
  }

  /// The value of a property that is an enumeration's raw value.
  @_disfavoredOverload
  public final func managed<Value: RawRepresentable>(_ key: String) -> Value
  where Value.RawValue: ManagedPropertyValue {
    let rawValue: Value.RawValue = managed(key)
    guard let value = Value(rawValue: rawValue) else {
      wrongType(rawValue, wanted: Value.self, key: key)
    }
    return value
  }

  /// The value of a property that is an enumeration's raw value; nil too where the enumeration has no such
  /// case.
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

  /// Sets a property to an enumeration's raw value, or to nothing.
  @_disfavoredOverload
  public final func setManaged<Value: RawRepresentable>(_ value: Value?, _ key: String)
  where Value.RawValue: ManagedPropertyValue {
    setManaged(value?.rawValue, key)
  }

  // MARK: Primitive values

  /// The primitive value of a property, as `@NSManaged var primitiveNAME` gives it: 0 or empty for none, where
  /// the type is a number or a text.
  public final func managedPrimitive<Value>(_ key: String) -> Value {
    let primitive = primitiveValue(forKey: key)
    if let value = primitive as? Value { return value }
    // Foundation off Apple's systems casts a number to the type it was made of only.
    if let type = Value.self as? any FixedWidthInteger.Type,
      let value = type.init(truncatingIfNeeded: (primitive as? NSNumber)?.int64Value ?? 0) as? Value
    {
      return value
    }
    if let type = Value.self as? any BinaryFloatingPoint.Type,
      let value = type.init((primitive as? NSNumber)?.doubleValue ?? 0) as? Value
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
    setPrimitiveValue(Self.unwrapped(value), forKey: key)
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
