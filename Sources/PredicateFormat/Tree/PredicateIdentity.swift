import Foundation

/// The identity of an object that predicates compare by identity: a row of a store, independent of the context that it
/// was read in.
package struct PredicateIdentity: Hashable, Sendable {
  private let key: Int64
  private let store: ObjectIdentifier?
  private let hierarchy: ObjectIdentifier

  /// Creates an identity.
  ///
  /// - Parameters:
  ///   - key: The row's key, or the number of an object that was never saved.
  ///   - store: The store; nil for an object that was never saved.
  ///   - hierarchy: The entity hierarchy that the key belongs to.
  package init(key: Int64, store: ObjectIdentifier?, hierarchy: ObjectIdentifier) {
    self.key = key
    self.store = store
    self.hierarchy = hierarchy
  }

  /// Whether the identity is that of a saved row.
  var isPermanent: Bool { store != nil }

  /// The order for sorting: of the rows' keys, and behind them of the numbers of objects that were never saved.
  func order(_ other: PredicateIdentity) -> ComparisonResult {
    guard isPermanent == other.isPermanent else {
      return isPermanent ? .orderedAscending : .orderedDescending
    }
    if key == other.key { return .orderedSame }
    return key < other.key ? .orderedAscending : .orderedDescending
  }
}

/// An object that is equal to all objects representing the same row, such as a managed object or an object identity.
package protocol PredicateIdentifiable {
  /// The row.
  var predicateIdentity: PredicateIdentity { get }
}
