import PredicateFormat

/// The keys of a context in key paths and predicates, such as `managedObjectContext.name`.
extension NSManagedObjectContext: KeyValueReadable {
  /// The value of a key that Core Data's contexts have.
  ///
  /// - Throws: `PredicateFormatError/undefinedKey(_:of:)` for any other key.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "self": .object(OpaqueObject(self))
    case "name": name.map { .string($0) } ?? .null
    case "transactionAuthor": transactionAuthor.map { .string($0) } ?? .null
    case "hasChanges": .bool(hasChanges)
    case "parentContext", "parent": parent.map { .object(OpaqueObject($0)) } ?? .null
    default: throw .undefinedKey(key, of: self)
    }
  }
}
