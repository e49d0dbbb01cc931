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
    case "name": name.map { .string($0) } ?? .null
    case "mappingType": .integer(Int64(mappingType.rawValue))
    case "sourceEntityName": sourceEntityName.map { .string($0) } ?? .null
    case "sourceEntityVersionHash": sourceEntityVersionHash.map { .data($0) } ?? .null
    case "destinationEntityName": destinationEntityName.map { .string($0) } ?? .null
    case "destinationEntityVersionHash": destinationEntityVersionHash.map { .data($0) } ?? .null
    case "entityMigrationPolicyClassName":
      entityMigrationPolicyClassName.map { .string($0) } ?? .null
    case "attributeMappings": Self.list(attributeMappings)
    case "relationshipMappings": Self.list(relationshipMappings)
    case "userInfo": PredicateValue(reading: userInfo)
    default: throw .undefinedKey(key, of: self)
    }
  }

  private static func list(_ mappings: [NSPropertyMapping]?) -> PredicateValue {
    mappings.map { .array($0.map { .object(OpaqueObject($0)) }) } ?? .null
  }
}
