import Foundation

/// Relationships by name.
extension NSManagedObject {
  /// The implementation of ``hasFault(forRelationshipNamed:)``.
  final func hasUnloadedMembers(_ key: String) -> Bool {
    guard let property = layout.property(key), property.isToMany else { return false }
    if state.contains(.inserted) { return false }
    return (membersBySlot.isEmpty ? nil : membersBySlot[property.slot])?.isLoaded != true
  }

  /// The implementation of ``objectIDs(forRelationshipNamed:)``.
  final func destinationIDs(_ key: String) -> [NSManagedObjectID] {
    guard let property = layout.property(key) else { return [] }
    if property.isToMany { return loadedMembers(property).objects.map(\.objectID) }
    return storedValue(at: property.slot).reference.map { [$0] } ?? []
  }

  /// A set that proxies the destinations of a to-many relationship: changing it changes the relationship and its
  /// inverse.
  ///
  /// Outside Apple's systems, Foundation can't bridge a custom `NSMutableSet` subclass to Swift's `Set`: the cast
  /// yields an empty set. Use this set's methods, or ``value(forKey:)``, whose set can be cast.
  public final func mutableSetValue(forKey key: String) -> NSMutableSet {
    ManagedMutableSet(owner: self, property: toManyProperty(key, "mutableSetValueForKey:"))
  }

  /// The same for the relationship at the end of a key path through to-one relationships. A path on which there is no
  /// object is a programmer error and traps.
  public final func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
    let (owner, key) = owner(atEndOf: keyPath, "mutableSetValueForKeyPath:")
    return owner.mutableSetValue(forKey: key)
  }

  /// The object whose property a key path ends with, and the property's name.
  final func owner(
    atEndOf keyPath: String, _ selector: String
  ) -> (NSManagedObject, key: String) {
    let keys = keyPath.split(separator: ".").map(String.init)
    guard let owner = KeyPathWalk.value(of: self, keys.dropLast()) as? NSManagedObject else {
      preconditionFailure(
        "-[NSManagedObject \(selector)]: no object is at the path \(keyPath) before its last key")
    }
    return (owner, keys.last ?? "")
  }

  /// Adds a destination to a to-many relationship, and sets its inverse.
  public final func addObject(_ object: NSManagedObject, toRelationshipNamed key: String) {
    add(object, to: toManyProperty(key, "addObject:toRelationshipNamed:"))
  }

  /// Removes a destination from a to-many relationship, and clears its inverse.
  public final func removeObject(_ object: NSManagedObject, fromRelationshipNamed key: String) {
    remove(object, from: toManyProperty(key, "removeObject:fromRelationshipNamed:"))
  }

  /// Adds destinations to a to-many relationship, and sets their inverses; generated classes' `addToNAME(_:)` calls
  /// this. An element that isn't a managed object is a programmer error and traps.
  public final func addObjects<Objects: Sequence>(
    _ objects: Objects, toRelationshipNamed key: String
  ) {
    let property = toManyProperty(key, "addObjects:toRelationshipNamed:")
    for object in objects { add(Self.checked(object), to: property) }
  }

  /// Removes destinations from a to-many relationship, and clears their inverses.
  public final func removeObjects<Objects: Sequence>(
    _ objects: Objects, fromRelationshipNamed key: String
  ) {
    let property = toManyProperty(key, "removeObjects:fromRelationshipNamed:")
    for object in objects { remove(Self.checked(object), from: property) }
  }

  private static func checked(_ object: Any) -> NSManagedObject {
    guard let object = object as? NSManagedObject else {
      preconditionFailure("a relationship accepts only managed objects, not a \(type(of: object))")
    }
    return object
  }

  final func toManyProperty(_ key: String, _ selector: String) -> PropertyLayout {
    guard let property = layout.property(key), property.isToMany else {
      preconditionFailure(
        "-[NSManagedObject \(selector)]: '\(layout.name).\(key)' isn't a to-many relationship")
    }
    return property
  }
}

/// Enumerates the destinations that a relationship had when the enumerator was created.
private final class ObjectEnumerator: NSEnumerator {
  private var rest: IndexingIterator<[NSManagedObject]>

  init(_ objects: [NSManagedObject]) { rest = objects.makeIterator() }

  override func nextObject() -> Any? { rest.next() }
}

/// The set returned by `mutableSetValue(forKey:)`.
final class ManagedMutableSet: NSMutableSet {
  private let owner: NSManagedObject
  private let property: PropertyLayout

  init(owner: NSManagedObject, property: PropertyLayout) {
    self.owner = owner
    self.property = property
    super.init(capacity: 0)
  }

  required init(capacity: Int) {
    preconditionFailure("a relationship's set can only be created by mutableSetValue(forKey:)")
  }

  required init?(coder: NSCoder) { nil }

  private var objects: [NSManagedObject] { owner.shownMembers(property).objects }

  override var count: Int { objects.count }

  override func member(_ object: Any) -> Any? {
    guard let object = object as? NSManagedObject else { return nil }
    return owner.shownMembers(property).contains(object) ? object : nil
  }

  override func objectEnumerator() -> NSEnumerator { ObjectEnumerator(objects) }

  // Foundation's implementations read the superclass's storage, which is empty.
  override var description: String { description(withLocale: nil) }

  override func description(withLocale locale: Locale?) -> String {
    NSSet(array: objects).description(withLocale: locale)
  }

  override func isEqual(_ value: Any?) -> Bool {
    let others: [Any]
    switch value {
    case let set as NSSet: others = set.allObjects
    case let set as Set<AnyHashable>: others = set.map(\.base)
    default: return false
    }
    return others.count == count && others.allSatisfy { member($0) != nil }
  }

  override func add(_ object: Any) {
    guard let object = object as? NSManagedObject else {
      preconditionFailure("-[NSMutableSet addObject:]: a relationship accepts only managed objects")
    }
    owner.add(object, to: property)
  }

  override func remove(_ object: Any) {
    guard let object = object as? NSManagedObject else { return }
    owner.remove(object, from: property)
  }
}
