/// A context: the objects that it knows.
struct ReferenceContext: Equatable {
  var plan: ContextPlan
  var objects: [ObjectName: ReferenceObject] = [:]
  /// What the last save wrote, for others to merge.
  var lastSave: SavedNames?
  var undo = UndoState()
  var generation = Generation.newest

  var hasChanges: Bool { objects.values.contains(where: \.hasChanges) }

  func names(_ isMeant: (ReferenceObject) -> Bool) -> [ObjectName] {
    objects.filter { isMeant($0.value) }.keys.sorted()
  }
}

/// Which objects a save was about.
struct SavedNames: Equatable {
  var inserted: [ObjectName] = []
  var updated: [ObjectName] = []
  var deleted: [ObjectName] = []
}
