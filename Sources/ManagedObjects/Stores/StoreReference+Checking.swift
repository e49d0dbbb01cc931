import DataModels

extension StoreReference {
  /// Makes sure that what a save would write leads to objects of this store only, and to none that has no row
  /// and gets none.
  ///
  /// The last line behind ``ReferenceCheck``, which looks where something may be wrong: an engine that can't tell
  /// would keep a number that means another row, or nothing. Stores whose rows have room for nothing but keys
  /// refuse by themselves.
  ///
  /// - Throws: ``NSManagedObjectExternalRelationshipError`` and ``NSManagedObjectValidationError``.
  func checkReferences(of changes: ChangedObjects) throws {
    for object in changes.inserted + changes.updated {
      for property in object.layout.toOnes where !property.isTransient {
        guard let id = object.currentValue(at: property.slot).reference else { continue }
        if object.committedValue(at: property.slot).reference?.isSame(as: id) == true { continue }
        try check(id)
      }
      guard object.hasTouchedToManys else { continue }
      for property in object.layout.toManys where !property.isTransient {
        guard let members = object.membersBySlot[property.slot], members.hasChanges else {
          continue
        }
        for target in members.added { try check(target.identity) }
      }
    }
  }

  private func check(_ id: NSManagedObjectID) throws {
    guard (id.successor ?? id).storeReference === self else { throw CoreDataError.unwritable(id) }
  }
}
