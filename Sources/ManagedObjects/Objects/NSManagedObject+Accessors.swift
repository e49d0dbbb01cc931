/// Support for generated accessors.
///
/// ```swift
/// extension Person {
///   public var name: String? {
///     get { managed("name") }
///     set { setManaged(newValue, "name") }
///   }
/// }
/// ```
extension NSManagedObject {
  /// The value of a property, in the inferred type.
  @inlinable
  public final func managed<Value: ManagedPropertyValue>(_ key: String) -> Value {
    Value.managedValue(of: managedProperty(key, as: Value.self), in: self)
  }

  /// Sets a property.
  @inlinable
  public final func setManaged<Value: ManagedPropertyValue>(_ value: Value, _ key: String) {
    value.setManagedValue(of: managedProperty(key), in: self)
  }

  /// The property with a name. An unknown name is a programmer error and traps.
  ///
  /// - Parameters:
  ///   - key: the name.
  ///   - type: the type that the value is read as, if it is read; used to record key paths.
  public final func managedProperty(_ key: String, as type: Any.Type? = nil) -> ManagedProperty {
    if let known = layout.known(key) { return ManagedProperty(known) }
    guard
      let property = layout.property(key) ?? KeyPathRecorder.record(key, on: self, as: type)
    else {
      preconditionFailure(
        "\(Swift.type(of: self)).\(key): the entity '\(layout.name)' has no property with this name"
      )
    }
    return ManagedProperty(.passUnretained(property))
  }
}
