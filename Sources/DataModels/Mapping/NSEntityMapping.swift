import Foundation
import PredicateFormat

/// How the objects of one source entity become objects of one destination entity.
open class NSEntityMapping: NSObject, @unchecked Sendable {
  // Sendable: made in one place, and only read once a migration has it.

  // Core Data's type: programs hand the value on without unwrapping it.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The mapping's name, unique in its mapping model; "" in a new mapping.
  open var name: String! = ""
  /// What the mapping does.
  open var mappingType = NSEntityMappingType.undefinedEntityMappingType
  /// The entity objects come from; `nil` for an added entity.
  open var sourceEntityName: String?
  /// The version hash that the source entity must have; `nil` when any will do.
  open var sourceEntityVersionHash: Data?
  /// The entity objects go to; `nil` for a removed entity.
  open var destinationEntityName: String?
  /// The version hash that the destination entity must have; `nil` when any will do.
  open var destinationEntityVersionHash: Data?
  /// Where the attributes' values come from.
  open var attributeMappings: [NSPropertyMapping]?
  /// Where the relationships' objects come from.
  open var relationshipMappings: [NSPropertyMapping]?
  /// What gives the source objects.
  open var sourceExpression: NSExpression?
  /// The class of the policy that does the work; `nil` for the standard one.
  open var entityMigrationPolicyClassName: String?
  /// Free notes.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set { storedUserInfo = newValue }
  }
  // Stored apart: in `userInfo?[key] = …` the right side may read it as well, which one variable doesn't allow.
  private final var storedUserInfo: [AnyHashable: Any]?
  /// What a decoder met and doesn't know, to be written back.
  final var preserved: (any Sendable)?

  /// Makes a mapping that says nothing yet.
  public override init() {
    super.init()
  }

  /// Whether the other maps the same entities in the same way: by the same expressions, with the same
  /// policy and notes. The order of property mappings counts for nothing, and none are as good as an
  /// empty list.
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

  /// Follows ``isEqual(_:)``.
  open override var hash: Int { name.hashValue }
}

/// How the objects of an entity get from a source store to a destination store.
public enum NSEntityMappingType: UInt, Sendable, CaseIterable {
  /// The developer handles everything.
  case undefinedEntityMappingType = 0
  /// A migration policy makes the destination objects.
  case customEntityMappingType = 1
  /// The entity is new; nothing is carried over.
  case addEntityMappingType = 2
  /// The entity is gone; its objects are not carried over.
  case removeEntityMappingType = 3
  /// The entity is the same in both models; its objects are copied.
  case copyEntityMappingType = 4
  /// The entity differs; its objects are made anew from the old ones.
  case transformEntityMappingType = 5
}
