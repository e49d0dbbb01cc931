import DataModels
import Foundation

/// Key-value coding.
extension NSManagedObject {
  /// Reads or sets a property by name: `object["name"] = "Ada"`. Subclasses may declare their own subscript that takes a
  /// `String`.
  public final subscript<Key: StringProtocol>(key: Key) -> Any? {
    get { value(forKey: String(key)) }
    set { setValue(newValue, forKey: String(key)) }
  }

  final func readValue(forKey key: String) -> Any? {
    if let property = layout.property(key) { return value(of: property) }
    switch key {
    case "objectID": return objectID
    case "self": return self
    case "entity": return entity
    case "managedObjectContext": return managedObjectContext
    case "isDeleted", "deleted": return isDeleted
    case "isInserted", "inserted": return isInserted
    case "isUpdated", "updated": return isUpdated
    case "isFault", "fault": return isFault
    case "hasChanges": return hasChanges
    case "hasPersistentChangedValues": return hasPersistentChangedValues
    case "changedValues": return changedValues()
    default:
      if let property = KeyPathRecorder.record(key, on: self) { return value(of: property) }
      return value(forUndefinedKey: key)
    }
  }

  final func writeValue(_ value: Any?, forKey key: String) {
    guard let property = layout.property(key) ?? propertyBySetter(key) else {
      return setValue(value, forUndefinedKey: key)
    }
    if case .attribute(let type) = property.kind {
      guard let stored = AttributeCodec.stored(value, type: type) else {
        unacceptable(value, for: property)
      }
      if type == .transformableAttributeType { decodeBeforeChange(of: property) }
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
    case .fetched: setValue(value, forUndefinedKey: key)
    }
  }

  /// The property that key-value coding reaches through its setter: it looks for `set<Key>:` with the key's first
  /// letter capitalized, so "Date" and "date" both find `setDate:`. Getters have no such rule.
  private final func propertyBySetter(_ key: String) -> PropertyLayout? {
    guard let first = key.first, first.isUppercase else { return nil }
    return layout.property(first.lowercased() + key.dropFirst())
  }

  /// The values of several properties; `NSNull` for nil.
  public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    var values: [String: Any] = [:]
    for key in keys { values[key] = value(forKey: key) ?? NSNull() }
    return values
  }

  /// Sets several properties; `NSNull` stands for nil.
  public final func setValuesForKeys(_ keyedValues: [String: Any]) {
    for key in keyedValues.keys.sorted() { setValue(keyedValues[key], forKey: key) }
  }

  /// The value at the end of a key path across relationships.
  ///
  /// A path through a set returns a set of the values, a path through an ordered set an ordered set, and a path
  /// through an array an array. The collection operators `@count`, `@sum`, `@avg`, `@min`, `@max`, `@unionOfObjects`
  /// and `@distinctUnionOfObjects` apply to the rest of the path. The distinct values of a set are a set, those of
  /// other collections an array.
  public final func value(forKeyPath keyPath: String) -> Any? {
    KeyPathWalk.value(of: self, keyPath.split(separator: ".").map(String.init)[...])
  }

  /// Sets the property at the end of a key path: through to-one relationships, which may be nil, through to-many ones
  /// for each of their objects, and into the elements of a composite attribute.
  public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
    var pending = [(owner: self, keys: keyPath.split(separator: ".").map(String.init)[...])]
    while case (let owner, var keys)? = pending.popLast() {
      guard let key = keys.popFirst() else { continue }
      if keys.isEmpty {
        owner.setValue(value, forKey: key)
      } else if owner.layout.property(key)?.attributeType == .compositeAttributeType {
        let elements = owner.value(forKey: key) as? [String: Any] ?? [:]
        owner.setValue(Self.setting(value, at: keys, in: elements), forKey: key)
      } else {
        let next = owner.value(forKey: key)
        let members = (next as? NSManagedObject).map { [$0] } ?? Self.objects(in: next) ?? []
        for member in members.reversed() { pending.append((member, keys)) }
      }
    }
  }

  /// The elements of a composite attribute after setting or removing one, which may be nested in other composites.
  static func setting(
    _ value: Any?, at keys: ArraySlice<String>, in elements: [String: Any]
  ) -> [String: Any] {
    var chain = [elements]
    for key in keys.dropLast() { chain.append(chain.last?[key] as? [String: Any] ?? [:]) }
    var changed = AttributeCodec.unwrapped(value)
    for (var elements, key) in zip(chain, keys).reversed() {
      elements[key] = changed
      changed = elements
    }
    return changed as? [String: Any] ?? [:]
  }

  // MARK: Primitive access

  /// The value in memory; that of an attribute or a to-one relationship without firing a fault.
  ///
  /// That of a to-many relationship is an `NSMutableSet` or `NSMutableOrderedSet`. Between ``willChangeValue(forKey:)`` and
  /// ``didChangeValue(forKey:)``, what is added to it or removed from it is the change:
  ///
  /// ```swift
  /// func addToPets(_ pet: Pet) {
  ///   willChangeValue(forKey: "pets", withSetMutation: .union, using: [pet])
  ///   (primitiveValue(forKey: "pets") as? NSMutableSet)?.add(pet)
  ///   didChangeValue(forKey: "pets", withSetMutation: .union, using: [pet])
  /// }
  /// ```
  ///
  /// Outside of a change it is a copy, and changing it changes nothing else.
  public final func primitiveValue(forKey key: String) -> Any? {
    guard let property = layout.property(key) ?? KeyPathRecorder.record(key, on: self) else {
      return nil
    }
    switch property.kind {
    case .attribute, .toOne: return hasRow ? value(of: property) : nil
    case .toMany(let isOrdered): return primitiveMembers(property, isOrdered: isOrdered)
    case .fetched: return value(of: property)
    }
  }

  private final func primitiveMembers(_ property: PropertyLayout, isOrdered: Bool) -> NSObject {
    let isChanging = scratch?.valuesBeforeChange[property.name] != nil
    if isChanging, let known = scratch?.primitiveMembers[property.name] { return known }
    let objects = shownMembers(property).objects
    let made: NSObject =
      isOrdered ? NSMutableOrderedSet(array: objects) : NSMutableSet(array: objects)
    if isChanging { scratch?.primitiveMembers[property.name] = made }
    return made
  }

  /// Sets a value without change tracking and without maintaining an inverse.
  public final func setPrimitiveValue(_ value: Any?, forKey key: String) {
    // Primitive values have no setters that another spelling could find.
    guard layout.property(key) != nil else { return setValue(value, forUndefinedKey: key) }
    let wasQuiet = state.contains(.quiet)
    state.insert(.quiet)
    scratch?.primitiveMembers[key] = nil
    writeValue(value, forKey: key)
    if !wasQuiet { state.remove(.quiet) }
  }

  final func beginChange(ofKey key: String) {
    // A property of the class that the model doesn't have: nothing to be saved.
    if layout.property(key) == nil, type(of: self).contextShouldIgnoreUnmodeledPropertyChanges {
      return announceChange()
    }
    willChange()
    guard layout.property(key)?.isRelationship == true else { return }
    let scratch = scratch ?? Scratch()
    scratch.valuesBeforeChange[key] = readValue(forKey: key)
    self.scratch = scratch
  }

  final func endChange(ofKey key: String) {
    defer { tellObservers() }
    guard let before = scratch?.valuesBeforeChange.removeValue(forKey: key),
      let property = layout.property(key)
    else { return }
    let members = scratch?.primitiveMembers.removeValue(forKey: key)
    let now = members.flatMap { $0.isEqual(before) ? nil : $0 } ?? readValue(forKey: key)
    setPrimitiveValue(before, forKey: key)
    switch property.kind {
    case .toOne: setToOne(now as? NSManagedObject, property)
    case .toMany: setMembers(Self.objects(in: now) ?? [], property)
    case .attribute, .fetched: break
    }
  }

  // MARK: Conversion

  final func value(of property: PropertyLayout) -> Any? {
    switch property.kind {
    case .attribute(let type):
      if type == .transformableAttributeType { return transformedValue(of: property) }
      return AttributeCodec.object(storedValue(at: property.slot), type: type)
    case .toOne: return toOne(property)
    case .toMany(let isOrdered):
      let objects = shownMembers(property).objects
      return isOrdered ? NSOrderedSet(array: objects) : NSSet.unique(objects)
    case .fetched: return fetchedObjects(property)
    }
  }

  /// The value of a transformable attribute: decoded on first access, then cached.
  private final func transformedValue(of property: PropertyLayout) -> Any? {
    let stored = storedValue(at: property.slot)
    guard case .data(let data) = stored else { return object(of: stored, property) }
    guard let value = object(of: stored, property) else { return nil }
    let box = StoredValue.box(ValueBox(value, encoded: data))
    values[property.slot] = box
    // The same box on both sides: reading a value isn't a change.
    if !committed.isEmpty, committed[property.slot] == stored { committed[property.slot] = box }
    if let before = scratch?.eventValues, before.indices.contains(property.slot),
      before[property.slot] == stored
    {
      scratch?.eventValues?[property.slot] = box
    }
    return value
  }

  /// Decodes the values of a transformable attribute that is about to get another: bytes alone don't show whether that is
  /// different. The value that was read is decoded too, if another has already taken its place.
  final func decodeBeforeChange(of property: PropertyLayout) {
    guard property.attributeType == .transformableAttributeType else { return }
    _ = transformedValue(of: property)
    guard !committed.isEmpty, case .data(let data) = committed[property.slot],
      let value = object(of: committed[property.slot], property)
    else { return }
    committed[property.slot] = .box(ValueBox(value, encoded: data))
  }

  /// A row in the object's own representation: transient attributes have their defaults, and if the object has
  /// decoded a transformable attribute, the row's bytes are decoded for comparison with it.
  ///
  /// - Parameter keepsUnstored: whether attributes that no store keeps have their last values instead, such as those that
  ///   `awakeFromFetch` has computed.
  final func ownValues(
    ofRow row: [StoredValue], keepingUnstored keepsUnstored: Bool = false
  ) -> [StoredValue] {
    var own = layout.withTransientDefaults(row)
    if keepsUnstored, hasStoredRow {
      for slot in layout.unstoredSlots where own.indices.contains(slot) {
        own[slot] = committedValue(at: slot)
      }
    }
    for slot in layout.transformableSlots {
      guard isBox(at: slot), own.indices.contains(slot), case .data(let data) = own[slot],
        let value = object(of: own[slot], layout.values[slot])
      else { continue }
      own[slot] = .box(ValueBox(value, encoded: data))
    }
    return own
  }

  /// Whether the current or the stored value of a transformable attribute was decoded. The current one may have been
  /// replaced or cleared since.
  private final func isBox(at slot: Int) -> Bool {
    if case .box = currentValue(at: slot) { return true }
    if case .box = committedValue(at: slot) { return true }
    return false
  }

  /// The public form of an attribute's value, or of a to-one relationship's ID.
  final func object(of stored: StoredValue, _ property: PropertyLayout) -> Any? {
    if case .data(let data) = stored, property.attributeType == .transformableAttributeType,
      let attribute = property.description as? NSAttributeDescription
    {
      return AttributeTransformer.value(of: data, for: attribute)
    }
    return AttributeCodec.object(stored, type: property.attributeType)
  }

  private final func fetchedObjects(_ property: PropertyLayout) -> [NSManagedObject] {
    let changes = property.description.extras?.userInfoChanges ?? 0
    if let known = scratch?.fetched[property.name], known.userInfoChanges == changes {
      return known.objects
    }
    let found = context?.fetchedObjects(of: self, property) ?? []
    let scratch = scratch ?? Scratch()
    scratch.fetched[property.name] = Fetched(userInfoChanges: changes, objects: found)
    self.scratch = scratch
    return found
  }

  static func objects(in value: Any?) -> [NSManagedObject]? {
    switch value {
    case nil: []
    case let set as NSOrderedSet: set.array as? [NSManagedObject]
    // A cast rather than `allObjects`: a statically linked program contains Foundation's bridge between NSSet and Set
    // only if something in it makes this cast, and without it `value(forKey:) as? Set<…>` is nil throughout the
    // program.
    case let set as NSSet where type(of: set) == NSSet.self:
      inFixedOrder((set as? Set<NSManagedObject>).map { Array($0) })
    // Foundation casts any other subclass, a relationship's proxy included, to an empty set.
    case let set as NSSet: inFixedOrder(set.allObjects as? [NSManagedObject])
    case let array as [NSManagedObject]: array
    case let set as Set<NSManagedObject>: inFixedOrder(Array(set))
    default: nil
    }
  }

  /// A set's members in order of creation, so that results don't depend on hash values.
  private static func inFixedOrder(_ objects: [NSManagedObject]?) -> [NSManagedObject]? {
    objects?.sorted {
      ($0.identity.isTemporary ? 1 : 0, $0.identity.key)
        < ($1.identity.isTemporary ? 1 : 0, $1.identity.key)
    }
  }

  final func undefinedKey(_ key: String, in selector: String) -> Never {
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
