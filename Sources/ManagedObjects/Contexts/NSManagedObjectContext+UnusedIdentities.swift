/// The IDs of cancelled insertions: of objects whose insertion was reverted by a deletion, an undo, a rollback or a
/// refresh before a save. Relationships and programs may still refer to them.
extension NSManagedObjectContext {
  /// Records the ID of an object that won't be saved.
  final func noteUnusedIdentity(of object: NSManagedObject) {
    saveDoubts.insert(.cancelledInsertions)
    // Nothing refers to an object whose ID was never requested.
    guard object.hasIdentity else { return }
    let identity = object.identity
    // References to the loser of a conflict are redirected to the survivor.
    guard identity.successor == nil else { return }
    // It had a row before, which another writer may have written again, or write.
    guard object.version == 0 else {
      saveDoubts.insert(.undoneReferences)
      return
    }
    // A temporary ID is one shared object; a permanent one looks like that of any row.
    if object.isTemporary {
      identity.isCancelled = true
    } else {
      unusedIdentities.insert(identity)
    }
  }

  /// Makes the ID of a cancelled insertion valid again, when the object is inserted again.
  final func reuseIdentity(of object: NSManagedObject) {
    if !object.isTemporary, object.identity.successor != nil { object.renewIdentity() }
    let identity = object.identity
    if object.isTemporary {
      identity.isCancelled = false
    } else if !unusedIdentities.isEmpty {
      unusedIdentities.remove(identity)
    }
    // A relationship that refers to this ID may have been read meanwhile.
    guard let standIn = identityMap[identity], standIn !== object else { return }
    forget(standIn)
  }

  /// The ID that stands in place of another one. The loser of a conflict that was inserted again, and isn't any more, is
  /// nothing: the survivor doesn't stand for it.
  final func successor(of identity: NSManagedObjectID) -> NSManagedObjectID? {
    guard let successor = identity.successor, identity.isTemporary || !isUnused(identity) else {
      return nil
    }
    return successor
  }

  /// Whether an ID belongs to a cancelled insertion.
  final func isUnused(_ identity: NSManagedObjectID) -> Bool {
    identity.isTemporary
      ? identity.isCancelled : !unusedIdentities.isEmpty && unusedIdentities.contains(identity)
  }

  /// Marks an object as deleted, as there is no row to read it from.
  final func noteGone(_ object: NSManagedObject) {
    object.state.formUnion([.deleted, .propagated, .inaccessible])
    saveDoubts.insert(.vanishedObjects)
  }
}
