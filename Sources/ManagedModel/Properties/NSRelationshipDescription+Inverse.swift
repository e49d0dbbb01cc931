extension NSRelationshipDescription {
  /// The inverse that was set, which is not kept.
  ///
  /// Two relationships that are each other's inverse, as nearly all are, know each other by bare
  /// pointers, and the one that goes first clears the other's. That spares a large model two weak
  /// references for every pair. A relationship whose inverse does not lead back has a weak one.
  package final var storedInverse: NSRelationshipDescription? {
    get { mutualInverse ?? extras?.oneSidedInverse }
    set {
      if let partner = mutualInverse {
        mutualInverse = nil
        if partner !== self {
          partner.mutualInverse = nil
          partner.extra.oneSidedInverse = self
        }
      }
      extras?.oneSidedInverse = nil
      guard let newValue else { return }
      if newValue === self {
        mutualInverse = self
      } else if let other = newValue.extras, other.oneSidedInverse === self {
        other.oneSidedInverse = nil
        newValue.mutualInverse = self
        mutualInverse = newValue
      } else {
        extra.oneSidedInverse = newValue
      }
    }
  }

  /// Links a new relationship to its inverse, for a decoder that does the same at the other end
  /// before anyone else sees either.
  package final func linkMutually(to inverse: NSRelationshipDescription) {
    mutualInverse = inverse
  }
}
