import PredicateFormat

/// The keys of an entity in key paths and predicates, such as `entity.name`.
extension NSEntityDescription: KeyValueReadable {
  /// The value of a key that Core Data's entities have.
  ///
  /// - Throws: `PredicateFormatError/undefinedKey(_:of:)` for any other key.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "self": .object(OpaqueObject(self))
    case "name": name.map { .string($0) } ?? .null
    case "managedObjectClassName": .string(managedObjectClassName)
    case "isAbstract", "abstract": .bool(isAbstract)
    case "superentity": superentity.map { .object(OpaqueObject($0)) } ?? .null
    case "renamingIdentifier": renamingIdentifier.map { .string($0) } ?? .null
    case "versionHash": .data(versionHash)
    case "versionHashModifier": versionHashModifier.map { .string($0) } ?? .null
    case "userInfo": PredicateValue(reading: userInfo)
    default: throw .undefinedKey(key, of: self)
    }
  }
}
