import Foundation

/// Relationships: an object for a to-one, a set or an array of objects for a to-many.
extension NSManagedObject: ManagedPropertyValue {}

extension Set: ManagedPropertyValue where Element: NSManagedObject {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Set<Element> {
    Set(property.objects(in: object) as [Element])
  }
}

extension Array: ManagedPropertyValue where Element: NSManagedObject {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> [Element] {
    property.objects(in: object)
  }
}

extension NSSet: ManagedPropertyValue {}
extension NSOrderedSet: ManagedPropertyValue {}

extension ManagedProperty {
  /// The destinations of a to-many relationship, or what a fetched property gives.
  fileprivate func objects<Element: NSManagedObject>(in object: NSManagedObject) -> [Element] {
    let objects =
      layout.isToMany
      ? object.loadedMembers(layout).objects
      : object.value(of: layout) as? [NSManagedObject] ?? []
    guard let objects = objects as? [Element] else {
      preconditionFailure(
        "@Managed var \(name): not all of its objects are of the class \(Element.self)")
    }
    return objects
  }
}
