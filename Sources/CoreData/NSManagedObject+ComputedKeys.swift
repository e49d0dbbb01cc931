#if !canImport(ObjectiveC)
  import Foundation
  import MomKit

  extension NSManagedObject {
    /// Returns a computed property's value as key-value coding does: numbers, Boolean values and the raw values of
    /// enumerations as `NSNumber`. `momtool port` calls this in overrides of `value(forKey:)`.
    public func keyValue<Value>(of value: Value) -> Any? {
      let raw = (value as? any RawRepresentable).map { $0.rawValue as Any } ?? value
      return KeyValue.number(raw) ?? raw
    }

    /// Returns a computed property's value, or nil if there is none.
    public func keyValue<Value>(of value: Value?) -> Any? { value.flatMap { keyValue(of: $0) } }

    /// Returns a value as key-value coding passes it to a property's setter: numbers in the property's type, raw values
    /// as their enumeration. `momtool port` calls this in overrides of `setValue(_:forKey:)`.
    ///
    /// - Parameters:
    ///   - value: the value; `NSNull` stands for nil.
    ///   - property: the property, whose type is inferred. It isn't read.
    /// - Returns: nil if the property can't have the value.
    public func keyValue<Value>(_ value: Any?, for property: @autoclosure () -> Value) -> Value? {
      if let value, !KeyValue.isNull(value) { return KeyValue.converted(value, to: Value.self) }
      guard Value.self is any OptionalValue.Type else { return nil }
      let absent: Any? = nil
      return absent as? Value
    }
  }

  /// Conversion of values to the types of properties.
  ///
  /// Swift's collections are cast only to the property's own type: a cast to a class bridges them first, and the hash of a
  /// `Decimal` in an `NSSet` calls itself until the stack ends.
  private enum KeyValue {
    static func converted<Value>(_ given: Any, to type: Value.Type) -> Value? {
      if let optional = type as? any OptionalValue.Type {
        guard let wrapped = optional.converted(given) else { return nil }
        return wrapped as? Value
      }
      var given = given
      // Foundation casts a set of another class, such as a relationship's, to an empty one.
      if type is any SetAlgebra.Type, Swift.type(of: given) is AnyClass, let set = given as? NSSet,
        Swift.type(of: set) != NSSet.self
      {
        given = NSSet(array: set.allObjects)
      }
      if let value = given as? Value { return value }
      if let enumeration = type as? any RawRepresentable.Type {
        guard let value = converted(given, toRaw: enumeration) else { return nil }
        return value as? Value
      }
      guard let number = Self.number(given) else { return nil }
      if let integer = type as? any FixedWidthInteger.Type {
        return integer.init(truncatingIfNeeded: number.int64Value) as? Value
      }
      if let real = type as? any BinaryFloatingPoint.Type {
        return real.init(number.doubleValue) as? Value
      }
      if type is Bool.Type { return number.boolValue as? Value }
      if type is Decimal.Type { return number.decimalValue as? Value }
      if type is NSDecimalNumber.Type {
        return NSDecimalNumber(decimal: number.decimalValue) as? Value
      }
      return nil
    }

    /// Whether a value is an object that stands for nil.
    static func isNull(_ value: Any) -> Bool {
      Swift.type(of: value) is AnyClass && value is NSNull
    }

    /// Returns a value as a number, if it is one.
    static func number(_ value: Any) -> NSNumber? {
      if value is any Collection { return nil }
      return value as? NSNumber
    }

    private static func converted<Raw: RawRepresentable>(_ given: Any, toRaw type: Raw.Type) -> Any?
    {
      guard let rawValue = converted(given, to: Raw.RawValue.self),
        let value = Raw(rawValue: rawValue)
      else { return nil }
      return value
    }
  }

  /// An optional of any type.
  private protocol OptionalValue {
    /// Returns a value in the wrapped type, or nil if it can't be converted.
    static func converted(_ value: Any) -> Any?
  }

  extension Optional: OptionalValue {
    fileprivate static func converted(_ value: Any) -> Any? {
      guard let value = KeyValue.converted(value, to: Wrapped.self) else { return nil }
      return value
    }
  }
#endif
