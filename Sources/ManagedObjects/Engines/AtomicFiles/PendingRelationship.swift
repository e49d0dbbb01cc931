import DataModels

/// A relationship read from a store's file, whose destinations may not be known yet.
struct PendingRelationship {
  let owner: EntityLayout
  let key: Int64
  let property: PropertyLayout
  let targets: [Int64]
  /// Its position in the file, for errors; 0 in formats without positions.
  var place = 0
}

extension RowTables {
  /// Resolves relationships, once all objects are known.
  ///
  /// - Parameters:
  ///   - layouts: the objects' entities, by key.
  ///   - damage: the error for a target that is missing, or of a wrong entity.
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
      table(reference.owner).relate(reference.key, by: reference.property, to: ids)
    }
  }
}

/// The IDs of a file's objects, each created once.
private struct StoredIdentities {
  private let store: StoreReference
  private let layouts: [Int64: EntityLayout]
  private var made: [Int64: NSManagedObjectID] = [:]

  init(_ store: StoreReference, _ layouts: [Int64: EntityLayout]) {
    self.store = store
    self.layouts = layouts
  }

  /// The ID of a relationship's destination; nil for an object of a wrong entity.
  ///
  /// An object that isn't in the file, or whose entity wasn't loaded, becomes a fault that can't be fulfilled, so
  /// that the file's reference to it is preserved.
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
  /// Sets the destinations of a row's relationship.
  fileprivate func relate(
    _ key: Int64, by property: PropertyLayout, to ids: [NSManagedObjectID]
  ) {
    if property.isToMany {
      rows[key]?.toManys[property.slot] = ids
    } else if let id = ids.first {
      rows[key]?.values[property.slot] = .reference(id)
    }
  }
}
