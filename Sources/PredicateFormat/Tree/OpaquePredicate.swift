import Foundation

/// A predicate that only its own code can answer: a block of `NSPredicate(block:)`, or a subclass of
/// the user's.
public struct OpaquePredicate: @unchecked Sendable, Hashable {
  /// The predicate itself.
  public let predicate: NSPredicate

  /// Wraps a predicate.
  public init(_ predicate: NSPredicate) { self.predicate = predicate }

  /// Asks the predicate.
  public func evaluate(with object: Any?, bindings: [String: Any]?) -> Bool {
    predicate.evaluate(with: object, substitutionVariables: bindings)
  }

  /// Equal when the same object.
  public static func == (left: OpaquePredicate, right: OpaquePredicate) -> Bool {
    left.predicate === right.predicate
  }

  /// Hashes by identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(predicate)) }
}
