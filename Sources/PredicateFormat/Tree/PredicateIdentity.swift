/// What an object that predicates know by identity stands for: a row of a store, in whichever context it
/// was read.
package struct PredicateIdentity: Hashable, Sendable {
  private let key: Int64
  private let store: ObjectIdentifier?
  private let hierarchy: ObjectIdentifier

  /// Makes an identity.
  ///
  /// - Parameters:
  ///   - key: the row's key, or the number of what was never saved.
  ///   - store: the store; nil for what was never saved.
  ///   - hierarchy: the hierarchy of entities that the key is of.
  package init(key: Int64, store: ObjectIdentifier?, hierarchy: ObjectIdentifier) {
    self.key = key
    self.store = store
    self.hierarchy = hierarchy
  }

  /// Whether the identity is that of a row.
  var isLasting: Bool { store != nil }
}

/// An object that is equal to all that stand for the same row: a managed object, an object identity.
package protocol PredicateIdentifiable {
  /// The row.
  var predicateIdentity: PredicateIdentity { get }
}
