/// Identities of insertions that were taken back: by a deletion, an undo, a rollback or a refresh before they
/// were saved. Relationships and programs may still lead to them.
extension NSManagedObjectContext {
  /// Remembers the identity of an object that won't be saved.
  final func noteUnusedIdentity(of object: NSManagedObject) {
    mayDangle = true
    // Nothing leads to what nobody has asked for its identity.
    guard object.hasIdentity else { return }
    let identity = object.identity
    // Whoever refers to the loser of a conflict is led to the survivor.
    guard identity.successor == nil else { return }
    // A temporary one is one object for all who have it; a lasting one looks like that of any row.
    if object.isTemporary {
      identity.isTakenBack = true
    } else {
      unusedIdentities.insert(identity)
    }
  }

  /// Has an object that was taken back be inserted again under its identity.
  final func reuseIdentity(of object: NSManagedObject) {
    let identity = object.identity
    if object.isTemporary {
      identity.isTakenBack = false
    } else if !unusedIdentities.isEmpty {
      unusedIdentities.remove(identity)
    }
    // A relationship that led here may have been read meanwhile.
    guard let standIn = identityMap[identity], standIn !== object else { return }
    forget(standIn)
  }

  /// Whether an identity is that of an insertion that was taken back.
  final func isUnused(_ identity: NSManagedObjectID) -> Bool {
    identity.isTemporaryID
      ? identity.isTakenBack : !unusedIdentities.isEmpty && unusedIdentities.contains(identity)
  }

  /// Has an object count as deleted, as there is no row to read it from.
  final func noteGone(_ object: NSManagedObject) {
    object.state.formUnion([.deleted, .propagated, .inaccessible])
    mayDangle = true
  }
}
