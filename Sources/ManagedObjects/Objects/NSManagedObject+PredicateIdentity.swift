import PredicateFormat

/// In predicates an object is compared by its ID, whatever its context and store: `company == %@` accepts an object
/// of any context, or an ID.
extension NSManagedObject: PredicateIdentifiable {
  package final var predicateIdentity: PredicateIdentity {
    if isTemporary { return identity.predicateIdentity }
    return PredicateIdentity(
      key: rowKey, store: storeReference.map(ObjectIdentifier.init), hierarchy: layout.rootID)
  }
}

extension NSManagedObjectID: PredicateIdentifiable {
  package var predicateIdentity: PredicateIdentity {
    let id = permanentID
    return PredicateIdentity(
      key: id.key, store: id.storeReference.map(ObjectIdentifier.init), hierarchy: id.layout.rootID)
  }

  /// The object's present ID: the permanent one that replaced a temporary ID.
  var permanentID: NSManagedObjectID {
    isTemporaryID ? successor ?? self : self
  }
}
