/// Something a predicate can be asked about: it answers keys.
///
/// Dictionaries with string keys answer already. A type of the program's own adopts this protocol:
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
  /// The value of one key; never a path of several, nor an operator such as `@count`.
  ///
  /// An object that answers keys itself is given as ``PredicateValue/object(_:)``, a relationship's
  /// objects as a set or array of those. `PredicateValue(reading:)` does so for any value.
  ///
  /// - Throws: ``PredicateFormatError/undefinedKey(_:of:)`` for a key it doesn't have.
  func predicateValue(forKey key: String) throws(PredicateFormatError) -> PredicateValue
}

extension PredicateFormatError {
  /// The error of an object that is asked for a key it doesn't have.
  public static func undefinedKey(_ key: String, of object: Any) -> PredicateFormatError {
    PredicateFormatError(.undefinedKey, "\(type(of: object)) has no key '\(key)'")
  }
}
