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
    case "name": PredicateValue(reading: name)
    case "transactionAuthor": PredicateValue(reading: transactionAuthor)
    case "hasChanges": .bool(hasChanges)
    case "parentContext", "parent": PredicateValue(reading: parent)
    default: throw .undefinedKey(key, of: self)
    }
  }
}
