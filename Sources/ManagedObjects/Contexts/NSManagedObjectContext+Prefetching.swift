/// Relationship prefetching: one request per relationship, for any number of objects.
extension NSManagedObjectContext {
  /// Loads the relationships along key paths.
  ///
  /// - Parameter entity: the entity, if `objects` are all of its objects: the store then needn't be given their keys.
  final func prefetch(
    _ keyPaths: [String], for objects: [NSManagedObject], ofAllOf entity: EntityLayout?
  ) throws {
    for keyPath in keyPaths {
      var sources = objects
      var entity = entity
      let keys = keyPath.split(separator: ".").map(String.init)
      for (index, key) in keys.enumerated() {
        for group in groups(of: sources, by: key) {
          let isWhole = entity.map { $0.property(key) === group.property } ?? false
          try load(group, isWhole: isWhole ? entity : nil)
        }
        guard index + 1 < keys.count else { break }
        sources = destinations(of: sources, key)
        entity = nil
      }
    }
  }

  /// Objects of one store and hierarchy that have the same relationship.
  private final class Group {
    let property: PropertyLayout
    let store: StoreReference
    let root: EntityLayout
    var layout: EntityLayout
    var objects: [NSManagedObject] = []

    init(property: PropertyLayout, object: NSManagedObject, store: StoreReference) {
      (self.property, self.store) = (property, store)
      (layout, root) = (object.layout, object.layout.root)
    }
  }

  private final func groups(of objects: [NSManagedObject], by key: String) -> [Group] {
    var groups: [Group] = []
    for object in objects {
      guard let store = object.storeReference, let property = object.layout.property(key),
        property.isRelationship, !property.isTransient
      else { continue }
      let known = groups.last { $0.property === property && $0.store === store }
      let group = known ?? Group(property: property, object: object, store: store)
      if known == nil { groups.append(group) }
      group.objects.append(object)
    }
    return groups
  }

  private final func load(_ group: Group, isWhole entity: EntityLayout?) throws {
    group.property.isToMany ? try loadToMany(group, entity) : try loadToOne(group)
  }

  /// Reads the destinations of the relationships along which deletions propagate. Loaded destinations may be out of
  /// date: another context or program may have added members since, which would be left with a key of a missing row.
  ///
  /// Uses one request per relationship for up to 256 objects, if the store supports that.
  final func readMembers(ofDeleted objects: [NSManagedObject]) throws {
    var properties: [String: PropertyLayout] = [:]
    for object in objects {
      for property in object.layout.toManys
      where property.inverse != nil && property.deleteRule != .noActionDeleteRule {
        properties[property.name] = property
      }
    }
    for key in properties.keys.sorted() {
      let known = objects.filter { !$0.state.contains(.inserted) }
      // Another entity may call a to-one relationship by the same name.
      for group in groups(of: known, by: key)
      where group.property.isToMany && group.property.inverse != nil {
        try loadToMany(group, nil, again: true)
      }
      // Objects that exist only in a parent context are in no store yet.
      for object in known where object.isTemporary {
        guard let property = object.layout.property(key), property.isToMany,
          property.inverse != nil,
          object.touchedMembers?[property.slot]?.isLoaded == true
        else { continue }
        object.rebaseMembers(property, on: try storedMembers(of: object, property))
      }
    }
  }

  private final func loadToMany(
    _ group: Group, _ entity: EntityLayout?, again: Bool = false
  ) throws {
    let slot = group.property.slot
    let owners = group.objects.filter { $0.members(group.property).beginLoading(again: again) }
    guard !owners.isEmpty else { return }
    var isComplete = false
    defer { for owner in owners { _ = owner.touchedMembers?[slot]?.endLoading() } }
    let sink = ObjectSink(self)
    sink.loosensKnown = true
    let table = identityMap.table(store: group.store, group.root)
    var lastKey: Int64?
    let isWhole = entity != nil && owners.count == group.objects.count
    isComplete = try source.fetchDestinations(
      ofMany: isWhole ? nil : owners.map(\.rowKey), in: group.store, entity ?? group.layout,
      group.property, into: sink
    ) { key in
      if key == lastKey { return sink.members != nil }
      lastKey = key
      sink.members = nil
      guard let touched = table[key]?.touchedMembers, slot < touched.count,
        let members = touched[slot], members.isArriving
      else { return false }
      sink.members = .passUnretained(members)
      return true
    }
    for owner in owners {
      if isComplete, let stored = owner.touchedMembers?[slot]?.endLoading() {
        owner.rebaseMembers(group.property, on: stored)
        continue
      }
      _ = owner.touchedMembers?[slot]?.endLoading()
      if again, owner.touchedMembers?[slot]?.isLoaded == true {
        owner.rebaseMembers(group.property, on: try storedMembers(of: owner, group.property))
      } else {
        _ = owner.loadedMembers(group.property)
      }
    }
  }

  private final func loadToOne(_ group: Group) throws {
    var missing: [ObjectIdentifier: (target: NSManagedObject, keys: [Int64])] = [:]
    for object in group.objects {
      guard let target = object.toOne(group.property), let store = target.storeReference,
        store === group.store, target.isFault, !target.state.contains(.rowAtHand)
      else { continue }
      let root = ObjectIdentifier(target.layout.root)
      missing[root, default: (target, [])].keys.append(target.rowKey)
    }
    for (target, keys) in missing.values {
      let sink = ObjectSink(self)
      let keys = Array(Set(keys)).sorted()
      let root = target.layout.root
      if try source.fetchRows(keys, in: group.store, of: root, into: sink) { continue }
      for key in keys {
        let id = NSManagedObjectID(layout: target.layout, store: group.store, key: key)
        _ = try source.fetchRow(id, into: sink)
      }
    }
  }

  private final func destinations(
    of objects: [NSManagedObject], _ key: String
  ) -> [NSManagedObject] {
    var next = ObjectList()
    for object in objects {
      guard let property = object.layout.property(key) else { continue }
      if property.isToMany {
        for target in object.loadedMembers(property).objects { next.append(target) }
      } else if property.kind == .toOne, let target = object.toOne(property) {
        next.append(target)
      }
    }
    return next.objects
  }
}
