/// The objects that a save is about.
struct ChangedObjects {
  /// New objects, which have their lasting identities when they are written.
  var inserted: [NSManagedObject] = []
  /// Objects with changes, and those whose version is only to be checked.
  var updated: [NSManagedObject] = []
  /// Objects to be deleted.
  var deleted: [NSManagedObject] = []
  /// Objects whose version is to be checked without being written.
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

  /// How many objects there are.
  var count: Int { inserted.count + updated.count + deleted.count + guarded.count }

  /// All objects.
  var objects: [NSManagedObject] { inserted + updated + deleted + guarded }

  /// Those changes whose objects are as asked for.
  func keeping(_ isKept: (NSManagedObject) -> Bool) -> ChangedObjects {
    var part = self
    part.inserted = inserted.keeping(isKept)
    part.updated = updated.keeping(isKept)
    part.deleted = deleted.keeping(isKept)
    part.guarded = guarded.keeping(isKept)
    return part
  }
}

/// What a save has written.
struct SavedObjects {
  let changes: ChangedObjects
  /// Whether that is all there was to save; if not, some stores failed after others had committed.
  let isWhole: Bool
  /// The end of the stores' persistent history right after; nil if they keep none.
  let historyToken: NSPersistentHistoryToken?

  init(
    _ changes: ChangedObjects, isWhole: Bool = true, historyToken: NSPersistentHistoryToken? = nil
  ) {
    (self.changes, self.isWhole, self.historyToken) = (changes, isWhole, historyToken)
  }
}
