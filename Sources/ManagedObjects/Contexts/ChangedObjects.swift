/// The objects that a save affects.
struct ChangedObjects {
  /// New objects. They have permanent IDs by the time they are written.
  var inserted: [NSManagedObject] = []
  /// Objects with changes, and those whose version is only to be checked.
  var updated: [NSManagedObject] = []
  /// Objects to be deleted.
  var deleted: [NSManagedObject] = []
  /// Objects whose version is checked but which aren't written.
  var guarded: [NSManagedObject] = []
  /// The context's name and author, for persistent history.
  var contextName: String?
  var author: String?
  /// The context that saves.
  var context: NSManagedObjectContext?

  /// Whether there is nothing to write.
  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && guarded.isEmpty
  }

  /// Whether a row, or a version that is only checked, is concerned: not if all that has changed are transient values, or values
  /// that are again what they were.
  var writesRows: Bool {
    !inserted.isEmpty || !deleted.isEmpty || !guarded.isEmpty
      || updated.contains(where: \.differsFromStore)
  }

  /// The number of objects.
  var count: Int { inserted.count + updated.count + deleted.count + guarded.count }

  /// All objects.
  var objects: [NSManagedObject] { inserted + updated + deleted + guarded }

  /// These and others; the context and its name are those of the first.
  static func + (left: ChangedObjects, right: ChangedObjects) -> ChangedObjects {
    var all = left
    all.inserted += right.inserted
    all.updated += right.updated
    all.deleted += right.deleted
    all.guarded += right.guarded
    return all
  }

  /// The subset of changes for which `isKept` returns true.
  func keeping(_ isKept: (NSManagedObject) -> Bool) -> ChangedObjects {
    var part = self
    part.inserted = inserted.keeping(isKept)
    part.updated = updated.keeping(isKept)
    part.deleted = deleted.keeping(isKept)
    part.guarded = guarded.keeping(isKept)
    return part
  }
}

/// The result of a save.
struct SavedObjects {
  let changes: ChangedObjects
  /// Whether everything was saved; false if some stores failed after others had committed.
  let isWhole: Bool
  /// The end of the stores' persistent history right after the save; nil if no store tracks history.
  let historyToken: NSPersistentHistoryToken?

  init(
    _ changes: ChangedObjects, isWhole: Bool = true, historyToken: NSPersistentHistoryToken? = nil
  ) {
    (self.changes, self.isWhole, self.historyToken) = (changes, isWhole, historyToken)
  }
}
