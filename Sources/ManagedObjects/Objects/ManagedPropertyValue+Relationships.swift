import Foundation

/// Relationships: an object for a to-one relationship, a set or an array of objects for a to-many one.
extension NSManagedObject: ManagedPropertyValue {}

extension ManagedPropertyValue where Self: NSManagedObject {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Self {
    let layout = property.layout
    let target = layout.kind == .toOne ? object.toOne(layout) : object.value(of: layout)
    guard let target = target as? Self ?? KeyPathRecorder.standIn(Self.self, for: object) else {
      preconditionFailure(
        "@Managed var \(property.name): its value is "
          + "\(target.map { "of type \(type(of: $0))" } ?? "nil"), not a \(Self.self)")
    }
    return target
  }

  /// See ``ManagedPropertyValue``.
  public func setManagedValue(of property: ManagedProperty, in object: NSManagedObject) {
    let layout = property.layout
    guard layout.kind == .toOne else { return object.writeValue(self, forKey: layout.name) }
    object.setToOne(self, layout)
  }
}

/// The destinations of a to-many relationship, or the value of a transformable attribute.
extension Set: ManagedPropertyValue {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> Set<Element> {
    if property.leadsToObjects { return Set(property.objects(in: object) as [Element]) }
    return property.attributeValue(in: object) as? Set<Element> ?? []
  }

  /// Empty.
  public static var absentValue: Set<Element>? { [] }
}

/// The destinations of a to-many relationship (in order if it is ordered), the result of a fetched property, or the
/// value of a transformable attribute.
extension Array: ManagedPropertyValue {
  /// See ``ManagedPropertyValue``.
  public static func managedValue(
    of property: ManagedProperty, in object: NSManagedObject
  ) -> [Element] {
    if property.leadsToObjects { return property.objects(in: object) }
    return property.attributeValue(in: object) as? [Element] ?? []
  }

  /// Empty.
  public static var absentValue: [Element]? { [] }
}

extension NSSet: ManagedPropertyValue {}
extension NSOrderedSet: ManagedPropertyValue {}

extension ManagedProperty {
  /// Whether the value is a collection of objects.
  fileprivate var leadsToObjects: Bool {
    switch layout.kind {
    case .toMany, .fetched: true
    case .attribute, .toOne: false
    }
  }

  /// The destinations of a to-many relationship, or the result of a fetched property.
  fileprivate func objects<Element>(in object: NSManagedObject) -> [Element] {
    let objects =
      layout.isToMany
      ? object.shownMembers(layout).objects
      : object.value(of: layout) as? [NSManagedObject] ?? []
    guard let objects = objects as? [Element] else {
      preconditionFailure(
        "@Managed var \(name): not all of its objects are of the class \(Element.self)")
    }
    return objects
  }
}
