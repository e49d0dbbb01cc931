import Foundation
import ManagedModel

/// Values by name, as key-value coding has them.
extension NSManagedObject {
  /// A property by its name; `object["name"] = "Ada"`.
  public final subscript(key: String) -> Any? {
    get { value(forKey: key) }
    set { setValue(newValue, forKey: key) }
  }

  /// The value of a property: an `NSNumber`, `String`, `Date`, `Data`, `UUID`, `URL`,
  /// `NSDecimalNumber`, an `NSManagedObject`, an `NSSet` or `NSOrderedSet` of them; nil for none.
  ///
  /// A name the model doesn't have is a programmer's error and traps.
  public final func value(forKey key: String) -> Any? {
    if let property = layout.propertiesByName[key] { return value(of: property) }
    switch key {
    case "objectID": return objectID
    case "self": return self
    case "entity": return entity
    case "managedObjectContext": return managedObjectContext
    case "isDeleted": return isDeleted
    case "isInserted": return isInserted
    case "isUpdated": return isUpdated
    case "isFault": return isFault
    case "hasChanges": return hasChanges
    default: undefinedKey(key, in: "valueForUndefinedKey:")
    }
  }

  /// Sets the value of a property, and the inverse of a relationship.
  ///
  /// Takes any Swift or Foundation form of the property's type, for relationships also a `Set`, an
  /// `Array` or an ordered set; nil and `NSNull` for none. A value of another type is a programmer's
  /// error and traps.
  public final func setValue(_ value: Any?, forKey key: String) {
    guard let property = layout.propertiesByName[key] else {
      undefinedKey(key, in: "setValue:forUndefinedKey:")
    }
    if case .attribute(let type) = property.kind {
      guard let stored = AttributeCodec.stored(value, type: type) else {
        unacceptable(value, for: property)
      }
      return setAttribute(stored, at: property.slot)
    }
    if property.kind == .toOne, let target = value as? NSManagedObject {
      return setToOne(target, property)
    }
    let value = AttributeCodec.unwrapped(value)
    switch property.kind {
    case .attribute: break
    case .toOne:
      guard let value else { return setToOne(nil, property) }
      guard let target = value as? NSManagedObject else { unacceptable(value, for: property) }
      setToOne(target, property)
    case .toMany:
      guard let targets = Self.objects(in: value) else { unacceptable(value, for: property) }
      setMembers(targets, property)
    case .fetched:
      undefinedKey(key, in: "setValue:forUndefinedKey:")
    }
  }

  /// The values of several properties, `NSNull` for none.
  public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    var values: [String: Any] = [:]
    for key in keys { values[key] = value(forKey: key) ?? NSNull() }
    return values
  }

  /// Sets several properties; `NSNull` stands for nil.
  public final func setValuesForKeys(_ keyedValues: [String: Any]) {
    for key in keyedValues.keys.sorted() { setValue(keyedValues[key], forKey: key) }
  }

  /// The value at the end of a path of names, over relationships: a path through a to-many gives an
  /// array of what it meets.
  public final func value(forKeyPath keyPath: String) -> Any? {
    var current: Any? = self
    for key in keyPath.split(separator: ".") {
      switch current {
      case let object as NSManagedObject: current = object.value(forKey: String(key))
      case let set as NSSet: current = Self.collect(String(key), from: set.allObjects)
      case let set as NSOrderedSet: current = Self.collect(String(key), from: set.array)
      case let array as [Any]: current = Self.collect(String(key), from: array)
      case let values as [String: Any]: current = values[String(key)]
      default: return nil
      }
    }
    return current
  }

  private static func collect(_ key: String, from objects: [Any]) -> Any {
    if key == "@count" { return NSNumber(value: objects.count) }
    return objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: key) }
  }

  // MARK: Primitive access

  /// The value as it lies in the object, without firing a fault.
  public final func primitiveValue(forKey key: String) -> Any? {
    guard let property = layout.propertiesByName[key] else { return nil }
    switch property.kind {
    case .attribute, .toOne: return values.isEmpty ? nil : value(of: property)
    case .toMany, .fetched: return value(of: property)
    }
  }

  /// Sets a value without change tracking and without touching an inverse.
  public final func setPrimitiveValue(_ value: Any?, forKey key: String) {
    let wasQuiet = state.contains(.quiet)
    state.insert(.quiet)
    setValue(value, forKey: key)
    if !wasQuiet { state.remove(.quiet) }
  }

  /// Fires the fault: to be called before a primitive value is read.
  public final func willAccessValue(forKey key: String?) { wake() }

  /// To be called after a primitive value was read.
  public final func didAccessValue(forKey key: String?) {}

  /// To be called before a primitive value is set.
  public final func willChangeValue(forKey key: String) {
    willChange()
    guard layout.propertiesByName[key]?.isRelationship == true else { return }
    let scratch = scratch ?? Scratch()
    scratch.valuesBeforeChange[key] = value(forKey: key)
    self.scratch = scratch
  }

  /// To be called after a primitive value was set; the inverse of a relationship follows it.
  public final func didChangeValue(forKey key: String) {
    guard let before = scratch?.valuesBeforeChange.removeValue(forKey: key),
      let property = layout.propertiesByName[key]
    else { return }
    let now = value(forKey: key)
    setPrimitiveValue(before, forKey: key)
    switch property.kind {
    case .toOne: setToOne(now as? NSManagedObject, property)
    case .toMany: setMembers(Self.objects(in: now) ?? [], property)
    case .attribute, .fetched: break
    }
  }

  // MARK: In and out

  final func value(of property: PropertyLayout) -> Any? {
    switch property.kind {
    case .attribute(let type):
      return AttributeCodec.object(storedValue(at: property.slot), type: type)
    case .toOne: return toOne(property)
    case .toMany(let isOrdered):
      let objects = loadedMembers(property).objects
      return isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
    case .fetched: return fetchedObjects(property)
    }
  }

  private final func fetchedObjects(_ property: PropertyLayout) -> [NSManagedObject] {
    if let known = scratch?.fetched[property.name] { return known }
    let found = context?.fetchedObjects(of: self, property) ?? []
    let scratch = scratch ?? Scratch()
    scratch.fetched[property.name] = found
    self.scratch = scratch
    return found
  }

  static func objects(in value: Any?) -> [NSManagedObject]? {
    switch value {
    case nil: []
    case let set as NSOrderedSet: set.array as? [NSManagedObject]
    case let set as NSSet: inFixedOrder(set.allObjects as? [NSManagedObject])
    case let array as [NSManagedObject]: array
    case let set as Set<NSManagedObject>: inFixedOrder(Array(set))
    default: nil
    }
  }

  /// A set's members in the order of their making, so that what follows doesn't depend on hashes.
  private static func inFixedOrder(_ objects: [NSManagedObject]?) -> [NSManagedObject]? {
    objects?.sorted {
      ($0.identity.isTemporaryID ? 1 : 0, $0.identity.key)
        < ($1.identity.isTemporaryID ? 1 : 0, $1.identity.key)
    }
  }

  private final func undefinedKey(_ key: String, in selector: String) -> Never {
    preconditionFailure(
      "[<\(type(of: self))> \(selector)]: the entity \(layout.name) is not key value "
        + "coding-compliant for the key \"\(key)\".")
  }

  private final func unacceptable(_ value: Any?, for property: PropertyLayout) -> Never {
    let kind = property.isRelationship ? (property.isToMany ? "to-many " : "to-one ") : ""
    let given = value.map { "\(type(of: $0))" } ?? "nil"
    preconditionFailure(
      "-[NSManagedObject setValue:forKey:]: Unacceptable type of value for "
        + "\(kind)\(property.isRelationship ? "relationship" : "attribute"): "
        + "property = \"\(property.name)\"; entity = \(layout.name); given type = \(given).")
  }
}
