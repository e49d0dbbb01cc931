import DataModels

/// A relationship in a store's file, whose destinations aren't all known yet.
struct PendingRelationship {
  let owner: EntityLayout
  let key: Int64
  let property: PropertyLayout
  let targets: [Int64]
  /// Where it stands in the file, for errors; 0 where files have no places.
  var place = 0
}

extension RowTables {
  /// Has relationships lead to their objects, once all are known.
  ///
  /// - Parameters:
  ///   - layouts: the entities of the objects, by key.
  ///   - damage: the error for a target that isn't there, or isn't of the relationship's entity.
  func relate(
    _ references: [PendingRelationship], _ layouts: [Int64: EntityLayout],
    damage: (PendingRelationship, _ target: Int64) -> any Error
  ) throws {
    var identities = StoredIdentities(reference, layouts)
    for reference in references {
      let ids = try reference.targets.map { target in
        guard let id = identities.id(target, reference.property) else {
          throw damage(reference, target)
        }
        return id
      }
      table(reference.owner).relate(reference.key, reference.property, ids)
    }
  }
}

/// The identities of a file's objects, each made once.
private struct StoredIdentities {
  private let store: StoreReference
  private let layouts: [Int64: EntityLayout]
  private var made: [Int64: NSManagedObjectID] = [:]

  init(_ store: StoreReference, _ layouts: [Int64: EntityLayout]) {
    self.store = store
    self.layouts = layouts
  }

  /// The identity of a relationship's destination; nil for an object that can't be one.
  ///
  /// One that isn't in the file, or of an entity that isn't looked at, is a fault that can't be fulfilled: what the
  /// file says of it is kept.
  mutating func id(_ key: Int64, _ property: PropertyLayout) -> NSManagedObjectID? {
    guard let destination = property.destination else { return nil }
    guard let layout = layouts[key] else {
      return NSManagedObjectID(layout: destination, store: store, key: key)
    }
    guard layout.isKind(of: destination) else { return nil }
    if let known = made[key] { return known }
    let id = NSManagedObjectID(layout: layout, store: store, key: key)
    made[key] = id
    return id
  }
}

extension RowTables.Table {
  /// Has a relationship of a row lead to objects.
  fileprivate func relate(_ key: Int64, _ property: PropertyLayout, _ ids: [NSManagedObjectID]) {
    if property.isToMany {
      rows[key]?.toManys[property.slot] = ids
    } else if let id = ids.first {
      rows[key]?.values[property.slot] = .reference(id)
    }
  }
}
