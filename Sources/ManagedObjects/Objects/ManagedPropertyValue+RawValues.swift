import DataModels

/// Enumerations, option sets and other types with raw values: the attribute stores the raw value. A transformable
/// attribute stores the value as it is.
extension ManagedPropertyValue where Self: RawRepresentable, RawValue: ManagedPropertyValue {
  /// The value with the attribute's raw value.
  ///
  /// An unknown raw value reads as ``ManagedPropertyValue/absentValue`` if the type has one, and traps otherwise. So
  /// does a missing value, unless its substitute (0 or an empty string) is a raw value. An optional property reads as
  /// nil in both cases.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Self {
    if property.attributeType == .transformableAttributeType {
      if let value: Self = property.value(in: object) ?? absentValue { return value }
      property.refuse(nil, as: Self.self)
    }
    let rawValue = RawValue.managedValue(of: property, in: object)
    if let value = Self(rawValue: rawValue) ?? absentValue { return value }
    // Recording key paths needs some value of the type.
    if let value = KeyPathRecorder.standIn(Self.self, for: object) { return value }
    precondition(
      !object.layout.recordsKeys,
      "a key path that ends in a \(Self.self) has no name unless it is CaseIterable: write the key")
    preconditionFailure(
      "@Managed var \(property.name): its value is "
        + (property.isNull(in: object) ? "nil" : "'\(rawValue)'")
        + ", not a raw value of \(Self.self); declare the property as optional if its store may contain that"
    )
  }

  /// See ``ManagedPropertyValue``.
  public static func managedValueIfAny(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Self? {
    if property.attributeType == .transformableAttributeType {
      return property.attributeValue(in: object) as? Self
    }
    return RawValue.managedValueIfAny(of: property, in: object).flatMap(Self.init(rawValue:))
  }

  /// See ``ManagedPropertyValue``.
  public func setManagedValue(of property: ManagedProperty, in object: NSManagedObject) {
    if property.attributeType == .transformableAttributeType {
      return object.writeValue(self, forKey: property.name)
    }
    rawValue.setManagedValue(of: property, in: object)
  }
}
