import DataModels

extension StoreReference {
  /// Checks that the references in a save lead only to objects of this store, and to none that has no row and gets
  /// none.
  ///
  /// This is the last check after ``ReferenceCheck``, which only examines where something may be wrong. An engine
  /// that can't check references would store a number that denotes another row, or none. Stores whose rows can
  /// contain only keys check references themselves.
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
