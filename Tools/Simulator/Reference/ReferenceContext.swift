/// A context: the objects registered in it.
struct ReferenceContext: Equatable {
  var plan: ContextPlan
  var objects: [ObjectName: ReferenceObject] = [:]
  /// What the last save wrote, for other contexts to merge.
  var lastSave: SavedNames?
  var undo = UndoState()
  var generation = Generation.newest

  var hasChanges: Bool { objects.values.contains(where: \.hasChanges) }

  func names(_ isMeant: (ReferenceObject) -> Bool) -> [ObjectName] {
    objects.filter { isMeant($0.value) }.keys.sorted()
  }
}

/// The objects of a save.
struct SavedNames: Equatable {
  var inserted: [ObjectName] = []
  var updated: [ObjectName] = []
  var deleted: [ObjectName] = []
}
