import DataModels

/// A property as ``ManagedPropertyValue`` is told of it.
public struct ManagedProperty {
  // The object whose property it is keeps the layout.
  private let reference: Unmanaged<PropertyLayout>
  /// Where the value is.
  let slot: Int
  /// The type of an attribute; undefined for anything else.
  let attributeType: NSAttributeType

  @inline(__always)
  init(_ reference: Unmanaged<PropertyLayout>) {
    self.reference = reference
    (slot, attributeType) = reference._withUnsafeGuaranteedRef { ($0.slot, $0.attributeType) }
  }

  var layout: PropertyLayout { reference.takeUnretainedValue() }
}
