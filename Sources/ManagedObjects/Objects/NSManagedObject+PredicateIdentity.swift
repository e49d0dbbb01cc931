import PredicateFormat

/// In predicates an object counts as its identity, in whichever context and store it is: `company == %@`
/// takes either, and an object of another context as well.
extension NSManagedObject: PredicateIdentifiable {
  package final var predicateIdentity: PredicateIdentity {
    if isTemporary { return identity.predicateIdentity }
    return PredicateIdentity(
      key: rowKey, store: storeReference.map(ObjectIdentifier.init), hierarchy: layout.rootID)
  }
}

extension NSManagedObjectID: PredicateIdentifiable {
  package var predicateIdentity: PredicateIdentity {
    let id = lastingIdentity
    return PredicateIdentity(
      key: id.key, store: id.storeReference.map(ObjectIdentifier.init), hierarchy: id.layout.rootID)
  }

  /// The identity that the object has by now: of a temporary one, the lasting one that took its place.
  var lastingIdentity: NSManagedObjectID {
    isTemporaryID ? successor ?? self : self
  }
}
