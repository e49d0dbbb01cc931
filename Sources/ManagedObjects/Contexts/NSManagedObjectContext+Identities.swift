import DataModels

/// Replacement of temporary IDs by permanent ones.
///
/// An object that is inserted and saved in a child context keeps its temporary ID, in the child and in its ancestors,
/// until the root context saves: Core Data's rule. All of them share the ID object, which then knows its successor. A
/// descendant adopts the successor when it next looks up an object or reads from its parent, so that it has one
/// object per row under either ID.
extension NSManagedObjectContext {
  /// Adopts the permanent IDs that an ancestor has assigned since.
  @inline(__always)
  final func adoptPermanentIDs() {
    if awaitsIdentities { findPermanentIDs() }
  }

  @inline(never)
  private final func findPermanentIDs() {
    let successions = NSManagedObjectID.successions
    guard successions != seenSuccessions else { return }
    seenSuccessions = successions
    let (taken, isWaiting, replaced) = identityMap.adoptPermanentIDs()
    awaitsIdentities = isWaiting
    for object in replaced where !object.state.contains(.inaccessible) { becomeGone(object) }
    // Values that a child read from its parent may refer to objects that it never had, or that were deallocated
    // since.
    guard taken > 0 || parent != nil else { return }
    identityMap.visit { object in
      for id in object.resolveStoredReferences() where identityMap[id]?.awaitsInsertion != true {
        awaitsIdentities = true
      }
    }
  }

  /// The implementation of ``obtainPermanentIDs(for:)``.
  final func assignPermanentIDs(to objects: [NSManagedObject]) throws {
    checkQueue()
    adoptPermanentIDs()
    let objects = objects.filter { $0.context === self && $0.isTemporary }
    if let parent {
      let waiting = objects.filter { !$0.state.contains(.inserted) }.map(\.identity)
      if !waiting.isEmpty {
        try parent.performAndWait {
          try parent.obtainPermanentIDs(for: waiting.map { parent.knownOrFault($0) })
        }
        adoptPermanentIDs()
      }
    }
    try assignPermanentIDs(
      ChangedObjects(
        inserted: objects.filter { $0.state.contains(.inserted) },
        updated: pendingInserted + pendingUpdated))
  }

  /// Assigns permanent IDs to the inserted objects, and updates references to them.
  final func assignPermanentIDs(_ changes: ChangedObjects) throws {
    let temporary = changes.inserted.keeping { $0.isTemporary }
    guard !temporary.isEmpty else { return }
    identityMap.replace(temporary, by: try source.obtainPermanentKeys(for: temporary))
    resolveReferences(of: changes.inserted)
    resolveReferences(of: changes.updated)
  }

  /// Replaces references by temporary IDs whose permanent ones are known.
  private final func resolveReferences(of objects: [NSManagedObject]) {
    // Adjacent objects often refer to the same object.
    var (lastTemporary, lastPermanent): (NSManagedObjectID?, StoredValue) = (nil, .null)
    objects.visit { object in
      for slot in object.layout.toOneSlots {
        guard case .reference(let id) = object.currentValue(at: slot), id.isTemporary else {
          continue
        }
        if lastTemporary !== id {
          guard let permanent = id.successor else { continue }
          (lastTemporary, lastPermanent) = (id, .reference(permanent))
        }
        object.replaceValue(at: slot, by: lastPermanent)
      }
    }
  }
}
