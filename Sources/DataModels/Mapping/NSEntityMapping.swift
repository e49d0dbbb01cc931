import Foundation
import PredicateFormat

/// Describes how objects of one source entity become objects of one destination entity.
///
/// ```swift
/// let person = NSEntityMapping()
/// person.name = "PersonToContact"
/// person.mappingType = .transformEntityMappingType
/// person.sourceEntityName = "Person"
/// person.destinationEntityName = "Contact"
/// person.attributeMappings = [fullName]
/// ```
open class NSEntityMapping: NSObject, @unchecked Sendable {
  // Sendable: set up in one place, and only read once a migration uses it.

  // The type is Core Data's: programs pass the value on without unwrapping it.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The mapping's name, unique in its mapping model; "" in a new mapping.
  open var name: String! = ""
  /// What the mapping does.
  open var mappingType = NSEntityMappingType.undefinedEntityMappingType
  /// The source entity's name; `nil` for an added entity.
  open var sourceEntityName: String?
  /// The version hash that the source entity must have; `nil` to accept any.
  open var sourceEntityVersionHash: Data?
  /// The destination entity's name; `nil` for a removed entity.
  open var destinationEntityName: String?
  /// The version hash that the destination entity must have; `nil` to accept any.
  open var destinationEntityVersionHash: Data?
  /// The mappings of the attributes.
  open var attributeMappings: [NSPropertyMapping]?
  /// The mappings of the relationships.
  open var relationshipMappings: [NSPropertyMapping]?
  /// The expression that yields the source objects.
  open var sourceExpression: NSExpression?
  /// The class of the migration policy; `nil` for the standard one.
  open var entityMigrationPolicyClassName: String?
  /// User-defined information.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set { storedUserInfo = newValue }
  }
  // Separate storage: the right side of `userInfo?[key] = …` may read `userInfo` too, which would violate exclusive
  // access to a stored property.
  private final var storedUserInfo: [AnyHashable: Any]?
  /// Unknown content found by a decoder, to be written back.
  final var preserved: (any Sendable)?

  /// Creates an empty mapping.
  public override init() {
    super.init()
  }

  /// Whether the other object maps the same entities with equal expressions, policy and user info. The order of
  /// property mappings is irrelevant, and nil is equal to an empty list.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSEntityMapping else { return false }
    return self === other
      || name == other.name && mappingType == other.mappingType
        && sourceEntityName == other.sourceEntityName
        && sourceEntityVersionHash == other.sourceEntityVersionHash
        && destinationEntityName == other.destinationEntityName
        && destinationEntityVersionHash == other.destinationEntityVersionHash
        && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
        && sourceExpression == other.sourceExpression
        && Set(attributeMappings ?? []) == Set(other.attributeMappings ?? [])
        && Set(relationshipMappings ?? []) == Set(other.relationshipMappings ?? [])
        && ValueEquality.areEqual(userInfo ?? [:], other.userInfo ?? [:])
  }

  /// A hash that is consistent with ``isEqual(_:)``.
  open override var hash: Int { name.hashValue }
}

/// The way in which an entity's objects get from a source store to a destination store.
public enum NSEntityMappingType: UInt, Sendable, CaseIterable {
  /// The developer handles everything.
  case undefinedEntityMappingType = 0
  /// A migration policy creates the destination objects.
  case customEntityMappingType = 1
  /// The entity is new; there is nothing to migrate.
  case addEntityMappingType = 2
  /// The entity was removed; its objects are not migrated.
  case removeEntityMappingType = 3
  /// The entity is the same in both models; its objects are copied.
  case copyEntityMappingType = 4
  /// The entity has changed; new objects are created from the old ones.
  case transformEntityMappingType = 5
}

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
