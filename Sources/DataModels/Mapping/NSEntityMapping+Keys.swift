import PredicateFormat

/// The keys of an entity mapping in the expressions of a migration, such as `$entityMapping.userInfo.language`.
extension NSEntityMapping: KeyValueReadable {
  /// The value of a key that Core Data's entity mappings have.
  ///
  /// - Throws: `PredicateFormatError/undefinedKey(_:of:)` for any other key.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "self": .object(OpaqueObject(self))
    case "name": PredicateValue(reading: name)
    case "mappingType": .integer(Int64(mappingType.rawValue))
    case "sourceEntityName": PredicateValue(reading: sourceEntityName)
    case "sourceEntityVersionHash": PredicateValue(reading: sourceEntityVersionHash)
    case "destinationEntityName": PredicateValue(reading: destinationEntityName)
    case "destinationEntityVersionHash": PredicateValue(reading: destinationEntityVersionHash)
    case "entityMigrationPolicyClassName":
      PredicateValue(reading: entityMigrationPolicyClassName)
    case "attributeMappings": PredicateValue(reading: attributeMappings)
    case "relationshipMappings": PredicateValue(reading: relationshipMappings)
    case "userInfo": PredicateValue(reading: userInfo)
    default: throw .undefinedKey(key, of: self)
    }
  }
}
