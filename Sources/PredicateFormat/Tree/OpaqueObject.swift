import Foundation

/// An object of the program in a tree: a managed object, an object ID, or an instance of a class that the language
/// doesn't know.
///
/// The program must not modify the object while predicates that contain it are used on another thread: the tree is
/// `Sendable` on this condition.
public struct OpaqueObject: @unchecked Sendable, Hashable, CustomStringConvertible {
  /// The object.
  public let base: Any

  /// Wraps an object.
  public init(_ base: Any) { self.base = base }

  /// The row that the object represents, if predicates identify it by that.
  package var identity: PredicateIdentity? {
    (base as? any PredicateIdentifiable)?.predicateIdentity
  }

  /// Whether the object's equality is permanent: an object that was never saved will get another identity.
  var isPermanent: Bool { identity?.isPermanent ?? true }

  /// Managed objects and object identities are equal if they refer to the same row; other objects by their own
  /// equality, or by identity if they have none.
  public static func == (left: OpaqueObject, right: OpaqueObject) -> Bool {
    if let a = left.identity, let b = right.identity { return a == b }
    if let a = left.base as? AnyHashable, let b = right.base as? AnyHashable { return a == b }
    guard type(of: left.base) is AnyClass, type(of: right.base) is AnyClass else { return false }
    return (left.base as AnyObject) === (right.base as AnyObject)
  }

  /// Hashes the properties that ``==(_:_:)`` compares.
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

/// A predicate that only its own code can evaluate: a block of `NSPredicate(block:)`, or a custom subclass.
public struct OpaquePredicate: @unchecked Sendable, Hashable {
  /// The predicate itself.
  public let predicate: NSPredicate

  /// Wraps a predicate.
  public init(_ predicate: NSPredicate) { self.predicate = predicate }

  /// Evaluates the predicate.
  public func evaluate(with object: Any?, bindings: [String: Any]?) -> Bool {
    predicate.evaluate(with: object, substitutionVariables: bindings)
  }

  /// Whether both are the same object.
  public static func == (left: OpaquePredicate, right: OpaquePredicate) -> Bool {
    left.predicate === right.predicate
  }

  /// Hashes by identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(predicate)) }
}
