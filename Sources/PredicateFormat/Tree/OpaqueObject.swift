import Foundation

/// An object of the program inside a tree: a managed object, an object ID, an instance of a class
/// the language knows nothing about.
///
/// The program must not change the object while predicates that hold it are in use on another
/// thread: the tree is `Sendable` on that promise.
public struct OpaqueObject: @unchecked Sendable, Hashable, CustomStringConvertible {
  /// The object.
  public let base: Any

  /// Wraps an object.
  public init(_ base: Any) { self.base = base }

  /// What the object stands for, if predicates know it by that: a row of a store.
  package var identity: PredicateIdentity? {
    (base as? any PredicateIdentifiable)?.predicateIdentity
  }

  /// Whether the object will be equal to the same ones for ever: one that was never saved gets another
  /// identity.
  var isLasting: Bool { identity?.isLasting ?? true }

  /// Managed objects and object identities are equal when they are of the same row; others by their own
  /// equality, or by identity when they have none.
  public static func == (left: OpaqueObject, right: OpaqueObject) -> Bool {
    if let a = left.identity, let b = right.identity { return a == b }
    if let a = left.base as? AnyHashable, let b = right.base as? AnyHashable { return a == b }
    guard type(of: left.base) is AnyClass, type(of: right.base) is AnyClass else { return false }
    return (left.base as AnyObject) === (right.base as AnyObject)
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    if let identity {
      hasher.combine(identity)
    } else if let value = base as? AnyHashable {
      hasher.combine(value)
    } else if type(of: base) is AnyClass {
      hasher.combine(ObjectIdentifier(base as AnyObject))
    }
  }

  /// The object's description.
  public var description: String { String(describing: base) }
}

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
