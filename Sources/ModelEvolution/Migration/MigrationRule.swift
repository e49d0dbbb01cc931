/// A rule of inferred migration: how Core Data handles one kind of change.
///
/// Each rule has a stable id, an effect, and the section of the format description that it is based on.
public enum MigrationRule: String, Hashable, Sendable, CaseIterable {
  case entityAdded = "entity.added"
  case entityRemoved = "entity.removed"
  case entityRenamed = "entity.renamed"
  case entityMoved = "entity.moved"
  case entityModifier = "entity.modifier"
  case entityAbstract = "entity.became-abstract"
  case entityConcrete = "entity.became-concrete"
  case hierarchiesMerged = "entity.hierarchies-merged"
  case ambiguousIdentifier = "identifier.ambiguous"
  case identifierLost = "identifier.leads-nowhere"
  case uniquenessAdded = "uniqueness.added"
  case uniquenessRemoved = "uniqueness.removed"
  case attributeAdded = "attribute.added"
  case attributeAddedWithDefault = "attribute.added-with-default"
  case attributeAddedMandatory = "attribute.added-mandatory"
  case attributeRemoved = "attribute.removed"
  case attributeMandatoryWithDefault = "attribute.mandatory-with-default"
  case attributeMandatory = "attribute.mandatory"
  case attributeOptional = "attribute.optional"
  case attributeConverted = "attribute.converted"
  case attributeWidened = "attribute.widened"
  case attributeTransformed = "attribute.transformed"
  case attributeTypeIncompatible = "attribute.type-incompatible"
  case attributeExternalized = "attribute.externalized"
  case attributeInlined = "attribute.inlined"
  case attributeDerivation = "attribute.derivation"
  case attributeElements = "attribute.elements"
  case relationshipAdded = "relationship.added"
  case relationshipAddedMandatory = "relationship.added-mandatory"
  case relationshipRemoved = "relationship.removed"
  case relationshipMandatory = "relationship.mandatory"
  case relationshipOptional = "relationship.optional"
  case relationshipWidened = "relationship.widened"
  case relationshipNarrowed = "relationship.narrowed"
  case relationshipBounded = "relationship.bounded"
  case relationshipUnbounded = "relationship.unbounded"
  case relationshipOrder = "relationship.order"
  case relationshipDestination = "relationship.destination"
  case relationshipReferencesLost = "relationship.references-lost"
  case relationshipShared = "relationship.shared"
  case relationshipInverse = "relationship.inverse"
  case propertyRenamed = "property.renamed"
  case renameWithoutEffect = "rename.without-effect"
  case propertyMoved = "property.moved"
  case propertyKind = "property.kind"
  case propertyModifier = "property.modifier"
  case propertyPersistent = "property.persistent"
  case propertyTransient = "property.transient"
  case preservedOnDeletion = "property.preserved-on-deletion"

  /// The effect of a change to which the rule applies.
  public enum Effect: Int, Hashable, Sendable, Comparable, Codable {
    /// The migration succeeds, and all values are kept.
    case keeps
    /// The migration succeeds, but values are lost.
    case loses
    /// A mapping is inferred, but the migration fails if stored objects don't fit.
    case failsWithData
    /// No mapping can be inferred.
    case blocks

    /// Orders effects by severity.
    public static func < (left: Effect, right: Effect) -> Bool { left.rawValue < right.rawValue }

    /// The effect as a word, for reports.
    public var word: String {
      switch self {
      case .keeps: "keeps"
      case .loses: "loses"
      case .failsWithData: "fails-with-data"
      case .blocks: "blocks"
      }
    }
  }

  /// The effect of a change to which the rule applies.
  public var effect: Effect {
    switch self {
    case .hierarchiesMerged, .ambiguousIdentifier, .attributeTypeIncompatible, .attributeInlined,
      .relationshipNarrowed:
      .blocks
    case .uniquenessAdded, .attributeAddedMandatory, .attributeMandatory,
      .relationshipAddedMandatory, .relationshipMandatory, .relationshipBounded,
      .relationshipDestination, .relationshipShared, .entityAbstract:
      .failsWithData
    case .entityRemoved, .attributeRemoved, .relationshipRemoved, .propertyKind,
      .relationshipReferencesLost, .propertyTransient, .attributeConverted, .identifierLost,
      .renameWithoutEffect:
      .loses
    default: .keeps
    }
  }

  /// The source of the rule.
  public var basis: String {
    switch self {
    case .relationshipDestination:
      "demand.md 3 (inferred, but SQLite stores refuse it when rows refer to the old entity)"
    case .renameWithoutEffect: "version-hash.md 1: stores of equal hashes are opened as they are"
    case .uniquenessAdded, .uniquenessRemoved: "pitfalls.md, Versions: inferred is not migratable"
    case .entityModifier, .propertyModifier, .preservedOnDeletion: "version-hash.md 1, 2 and 7"
    case .entityAbstract, .entityConcrete, .attributeElements, .attributeDerivation,
      .relationshipReferencesLost, .relationshipShared:
      "reasoned: sqlite-store.md 3 and 10.3"
    default: "sqlite-store.md 10.2"
    }
  }
}
