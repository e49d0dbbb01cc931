import PredicateFormat

/// The keys of an object ID in key paths and predicates, such as `objectID.entity.name`.
extension NSManagedObjectID: KeyValueReadable {
  /// The value of a key that Core Data's object IDs have.
  ///
  /// - Throws: `PredicateFormatError/undefinedKey(_:of:)` for any other key.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "self": .object(OpaqueObject(self))
    case "entity": .object(OpaqueObject(entity))
    case "isTemporaryID", "temporaryID": .bool(isTemporaryID)
    case "URIRepresentation", "uriRepresentation": .url(uriRepresentation())
    default: throw .undefinedKey(key, of: self)
    }
  }
}
