import DataModels

/// A property, as passed to ``ManagedPropertyValue``.
public struct ManagedProperty {
  // Unretained: the object that has the property keeps the layout alive.
  private let reference: Unmanaged<PropertyLayout>
  /// The slot of the value.
  let slot: Int
  /// The type of an attribute; undefined for other properties.
  let attributeType: NSAttributeType

  @inline(__always)
  init(_ reference: Unmanaged<PropertyLayout>) {
    self.reference = reference
    (slot, attributeType) = reference._withUnsafeGuaranteedRef { ($0.slot, $0.attributeType) }
  }

  var layout: PropertyLayout { reference.takeUnretainedValue() }
}
