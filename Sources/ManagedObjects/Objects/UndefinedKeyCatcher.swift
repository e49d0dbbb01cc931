import PredicateFormat

/// Lets a predicate read a key that isn't in the model, as key-value coding would: a subclass may answer it in
/// `value(forKey:)` or `value(forUndefinedKey:)`. If none does, the predicate gets an error, where the program's own
/// call would trap.
final class UndefinedKeyCatcher: @unchecked Sendable {
  // Sendable: used by one thread, which reads the key.
  private let object: NSManagedObject
  private var isUndefined = false

  private init(_ object: NSManagedObject) { self.object = object }

  @TaskLocal private static var current: UndefinedKeyCatcher?

  /// The value of an object's key.
  static func value(
    forKey key: String, of object: NSManagedObject
  ) throws(PredicateFormatError) -> PredicateValue {
    let catcher = UndefinedKeyCatcher(object)
    let value = $current.withValue(catcher) { PredicateValue(reading: object.value(forKey: key)) }
    guard !catcher.isUndefined else { throw .undefinedKey(key, of: object) }
    return value
  }

  /// Records that a key is undefined. Returns false if nobody reads the object's keys in this way.
  static func catches(_ object: NSManagedObject) -> Bool {
    guard let current, current.object === object else { return false }
    current.isUndefined = true
    return true
  }
}
