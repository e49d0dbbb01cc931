import DataModels

/// Enumerations, option sets and other types with raw values: the attribute has the raw value. In a transformable
/// attribute the value is kept as it is.
extension ManagedPropertyValue where Self: RawRepresentable, RawValue: ManagedPropertyValue {
  /// The value whose raw value the attribute has.
  ///
  /// A raw value that stands for nothing reads as ``ManagedPropertyValue/absentValue`` where the type has one, and
  /// traps otherwise; so does no value, unless its stand-in (0 or an empty text) is a raw value. As an optional either
  /// reads as nil.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Self {
    if property.attributeType == .transformableAttributeType {
      if let value: Self = property.value(in: object) ?? absentValue { return value }
      property.refuse(nil, as: Self.self)
    }
    let rawValue = RawValue.managedValue(of: property, in: object)
    if let value = Self(rawValue: rawValue) ?? absentValue { return value }
    // Whoever asks which keys are read needs some value.
    if let value = KeyPathRecorder.standIn(Self.self, for: object) { return value }
    precondition(
      !object.layout.recordsKeys,
      "a key path that ends in a \(Self.self) has no name unless it is CaseIterable: write the key")
    preconditionFailure(
      "@Managed var \(property.name): its value is "
        + (property.isNull(in: object) ? "nil" : "'\(rawValue)'")
        + ", the raw value of no \(Self.self); a property whose store may say so is to be declared optional"
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
      return object.setValue(self, forKey: property.name)
    }
    rawValue.setManagedValue(of: property, in: object)
  }
}
