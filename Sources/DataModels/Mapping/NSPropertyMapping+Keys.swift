import PredicateFormat

/// The keys of a property mapping in the expressions of a migration, such as `$propertyMapping.name`.
extension NSPropertyMapping: KeyValueReadable {
  /// The value of one of the keys `name` and `userInfo`.
  ///
  /// - Throws: `PredicateFormatError/undefinedKey(_:of:)` for any other key.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "self": .object(OpaqueObject(self))
    case "name": name.map { .string($0) } ?? .null
    case "userInfo": PredicateValue(reading: userInfo)
    default: throw .undefinedKey(key, of: self)
    }
  }
}
