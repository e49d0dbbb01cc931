/// An object that predicates can be evaluated with, because it provides values for keys.
///
/// Dictionaries with string keys are supported without it. Custom types adopt this protocol:
///
/// ```swift
/// struct Person: KeyValueReadable {
///   var name: String
///   var age: Int
///   func predicateValue(forKey key: String) throws(PredicateFormatError) -> PredicateValue {
///     switch key {
///     case "name": .string(name)
///     case "age": .integer(Int64(age))
///     default: throw .undefinedKey(key, of: self)
///     }
///   }
/// }
/// ```
public protocol KeyValueReadable {
  /// Returns the value for a single key, which is never a key path, nor an operator such as `@count`.
  ///
  /// Return an object that is itself readable as ``PredicateValue/object(_:)``, and the objects of a relationship as a
  /// set or array of those. `PredicateValue(reading:)` converts any value accordingly.
  ///
  /// - Throws: ``PredicateFormatError/undefinedKey(_:of:)`` for an unknown key.
  func predicateValue(forKey key: String) throws(PredicateFormatError) -> PredicateValue
}

extension PredicateFormatError {
  /// The error for a key that an object doesn't have.
  public static func undefinedKey(_ key: String, of object: Any) -> PredicateFormatError {
    PredicateFormatError(.undefinedKey, "\(type(of: object)) has no key '\(key)'")
  }
}
