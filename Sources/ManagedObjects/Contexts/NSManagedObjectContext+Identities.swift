import DataModels

/// Lasting identities in the place of temporary ones.
///
/// What a child context inserts and saves keeps its temporary identity, in the child and in its ancestors,
/// until the root saves: Core Data's rule. All of them share the identity, which then knows its successor.
/// A descendant takes that over when it next looks for an object or reads from its parent, so that it has one
/// object for a row under either identity.
extension NSManagedObjectContext {
  /// Has objects take over the lasting identities that an ancestor has given meanwhile.
  @inline(__always)
  final func takeLastingIdentities() {
    if awaitsIdentities { lookForLastingIdentities() }
  }

  @inline(never)
  private final func lookForLastingIdentities() {
    let successions = NSManagedObjectID.successions
    guard successions != seenSuccessions else { return }
    seenSuccessions = successions
    let (taken, isWaiting) = identityMap.takeLastingIdentities()
    awaitsIdentities = isWaiting
    // What a child read of its parent's may lead to objects that it hasn't, or that went as nobody held them.
    guard taken > 0 || parent != nil else { return }
    identityMap.visit { object in
      for id in object.resolveStoredReferences() where identityMap[id]?.isInserted != true {
        awaitsIdentities = true
      }
    }
  }

  /// What ``obtainPermanentIDs(for:)`` does.
  final func giveLastingIdentities(to objects: [NSManagedObject]) throws {
    checkQueue()
    takeLastingIdentities()
    let objects = objects.filter { $0.context === self && $0.isTemporary }
    if let parent {
      let waiting = objects.filter { !$0.state.contains(.inserted) }.map(\.identity)
      if !waiting.isEmpty {
        try parent.performAndWait {
          try parent.obtainPermanentIDs(for: waiting.map { parent.knownOrFault($0) })
        }
        takeLastingIdentities()
      }
    }
    try giveLastingIdentities(
      ChangedObjects(
        inserted: objects.filter { $0.state.contains(.inserted) },
        updated: pendingInserted + pendingUpdated))
  }

  /// Gives the inserted objects lasting identities, and has all objects refer to them.
  final func giveLastingIdentities(_ changes: ChangedObjects) throws {
    let temporary = changes.inserted.keeping { $0.isTemporary }
    guard !temporary.isEmpty else { return }
    identityMap.replace(temporary, by: try source.obtainLastingKeys(for: temporary))
    resolveReferences(of: changes.inserted)
    resolveReferences(of: changes.updated)
  }

  /// Replaces references to temporary identities that have become lasting ones.
  private final func resolveReferences(of objects: [NSManagedObject]) {
    // Neighbours often lead to the same object.
    var (lastTemporary, lastLasting): (NSManagedObjectID?, StoredValue) = (nil, .null)
    objects.visit { object in
      for slot in object.layout.toOneSlots {
        guard case .reference(let id) = object.currentValue(at: slot), id.isTemporaryID else {
          continue
        }
        if lastTemporary !== id {
          guard let lasting = id.successor else { continue }
          (lastTemporary, lastLasting) = (id, .reference(lasting))
        }
        object.replaceValue(at: slot, by: lastLasting)
      }
    }
  }
}
