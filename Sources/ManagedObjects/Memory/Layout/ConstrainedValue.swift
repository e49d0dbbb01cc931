import DataModels

/// What a uniqueness constraint names: an attribute, a to-one relationship, or an element of a composite attribute by
/// its path.
struct ConstrainedValue {
  /// The property that has the value.
  let property: PropertyLayout
  /// The names of the elements that lead to the value; empty if it is the property's own.
  let elements: [String]
  /// The type of an element.
  private let type: NSAttributeType

  /// Nil for a name that leads to no such value.
  init?(_ name: String, _ layout: EntityLayout) {
    let names = layout.property(name) == nil ? name.split(separator: ".").map(String.init) : [name]
    guard let first = names.first, let property = layout.property(first), property.kind != .fetched,
      !property.isToMany
    else { return nil }
    var attribute = property.description as? NSAttributeDescription
    for name in names.dropFirst() {
      let composite = attribute as? NSCompositeAttributeDescription
      guard let element = composite?.elements.first(where: { $0.name == name }) else { return nil }
      attribute = element
    }
    self.property = property
    elements = Array(names.dropFirst())
    type = attribute?.attributeType ?? .undefinedAttributeType
  }

  /// The value in that of the property.
  func value(in stored: StoredValue) -> StoredValue {
    guard !elements.isEmpty else { return stored }
    var value = stored.boxed
    for name in elements { value = (value as? [String: Any])?[name] }
    return AttributeCodec.stored(value, type: type) ?? .null
  }

  /// The property's value after replacing this one by the one that another value of the property has.
  func replacing(in stored: StoredValue, byThatOf other: StoredValue) -> StoredValue {
    guard !elements.isEmpty else { return other }
    var value = other.boxed
    for name in elements { value = (value as? [String: Any])?[name] }
    let changed = NSManagedObject.setting(
      value, at: elements[...], in: stored.boxed as? [String: Any] ?? [:])
    return AttributeCodec.stored(changed, type: .compositeAttributeType) ?? .null
  }
}
