extension SourceRule {
  /// The file can't be parsed as XML.
  public static let xml = SourceRule(
    "xml", .error, in: .compile, summary: "The file can't be parsed as XML.")

  /// The file is not a Core Data model.
  public static let document = SourceRule(
    "document", .error, in: .compile, summary: "The file is not a Core Data model.")

  /// The package's versions or its current version don't fit together.
  public static let version = SourceRule(
    "version", .warning, in: .compile,
    summary: "The package's versions or its current version don't fit together.")

  /// An element that Xcode doesn't write; it is kept, but has no effect.
  public static let unknownElement = SourceRule(
    "unknown-element", .warning, in: .compile,
    summary: "An element that Xcode doesn't write; it is kept, but has no effect.")

  /// An attribute that Xcode doesn't write; it is kept, but has no effect.
  public static let unknownAttribute = SourceRule(
    "unknown-attribute", .warning, in: .compile,
    summary: "An attribute that Xcode doesn't write; it is kept, but has no effect.")

  /// An attribute with an invalid value.
  public static let invalidValue = SourceRule(
    "invalid-value", .warning, in: .compile, summary: "An attribute with an invalid value.")

  /// Something that needs a name has none.
  public static let missingName = SourceRule(
    "missing-name", .error, in: .compile, summary: "Something that needs a name has none.")

  /// A name that can't be used as one.
  public static let invalidName = SourceRule(
    "invalid-name", .error, in: .compile, summary: "A name that can't be used as one.")

  /// A property named like a method of NSManagedObject or NSObject.
  public static let reservedName = SourceRule(
    "reserved-name", .error, in: .compile,
    summary: "A property named like a method of NSManagedObject or NSObject.")

  /// Two elements of the same kind have the same name.
  public static let duplicateName = SourceRule(
    "duplicate-name", .error, in: .compile,
    summary: "Two elements of the same kind have the same name.")

  /// The parent entity doesn't exist.
  public static let unknownParent = SourceRule(
    "unknown-parent", .error, in: .compile, summary: "The parent entity doesn't exist.")

  /// An entity is its own ancestor.
  public static let parentCycle = SourceRule(
    "parent-cycle", .error, in: .compile, summary: "An entity is its own ancestor.")

  /// An attribute type that doesn't exist.
  public static let unknownType = SourceRule(
    "unknown-type", .error, in: .compile, summary: "An attribute type that doesn't exist.")

  /// An attribute without a type that isn't transient.
  public static let undefinedType = SourceRule(
    "undefined-type", .error, in: .compile,
    summary: "An attribute without a type that isn't transient.")

  /// A default value that its attribute can't have.
  public static let invalidDefault = SourceRule(
    "invalid-default", .warning, in: .compile,
    summary: "A default value that its attribute can't have.")

  /// A default value that validation would reject.
  public static let defaultOutOfBounds = SourceRule(
    "default-out-of-bounds", .warning, in: .compile,
    summary: "A default value that validation would reject.")

  /// A minimum above the maximum, of a value or of a count.
  public static let crossedBounds = SourceRule(
    "crossed-bounds", .warning, in: .compile,
    summary: "A minimum above the maximum, of a value or of a count.")

  /// A relationship without a destination.
  public static let missingDestination = SourceRule(
    "missing-destination", .error, in: .compile, summary: "A relationship without a destination.")

  /// A destination that doesn't exist.
  public static let unknownDestination = SourceRule(
    "unknown-destination", .error, in: .compile, summary: "A destination that doesn't exist.")

  /// A relationship without an inverse.
  public static let missingInverse = SourceRule(
    "missing-inverse", .warning, in: .compile, summary: "A relationship without an inverse.")

  /// An inverse that doesn't exist, or isn't a relationship.
  public static let unknownInverse = SourceRule(
    "unknown-inverse", .error, in: .compile,
    summary: "An inverse that doesn't exist, or isn't a relationship.")

  /// An inverse with another destination or another inverse.
  public static let inverseMismatch = SourceRule(
    "inverse-mismatch", .error, in: .compile,
    summary: "An inverse with another destination or another inverse.")

  /// Only one of a relationship and its inverse is transient.
  public static let transientInverse = SourceRule(
    "transient-inverse", .error, in: .compile,
    summary: "Only one of a relationship and its inverse is transient.")

  /// The delete rule No Action, which leaves dangling references.
  public static let noActionDeleteRule = SourceRule(
    "no-action-delete-rule", .warning, in: .compile,
    summary: "The delete rule No Action, which leaves dangling references.")

  /// A to-one relationship marked as ordered.
  public static let orderedToOne = SourceRule(
    "ordered-to-one", .warning, in: .compile, summary: "A to-one relationship marked as ordered.")

  /// An entity with so many properties that fetching it is slow.
  public static let tooManyProperties = SourceRule(
    "too-many-properties", .warning, in: .compile,
    summary: "An entity with so many properties that fetching it is slow.")

  /// A composite attribute whose composite doesn't exist.
  public static let unknownComposite = SourceRule(
    "unknown-composite", .error, in: .compile,
    summary: "A composite attribute whose composite doesn't exist.")

  /// A composite that contains itself.
  public static let compositeCycle = SourceRule(
    "composite-cycle", .error, in: .compile, summary: "A composite that contains itself.")

  /// A uniqueness constraint over something that can't be constrained.
  public static let uniquenessProperty = SourceRule(
    "uniqueness-property", .error, in: .compile,
    summary: "A uniqueness constraint over something that can't be constrained.")

  /// An index over something that can't be indexed.
  public static let indexProperty = SourceRule(
    "index-property", .error, in: .compile,
    summary: "An index over something that can't be indexed.")

  /// A derivation expression that can't be parsed or derived.
  public static let derivedExpression = SourceRule(
    "derived-expression", .error, in: .compile,
    summary: "A derivation expression that can't be parsed or derived.")

  /// A predicate that can't be parsed.
  public static let predicate = SourceRule(
    "predicate", .error, in: .compile, summary: "A predicate that can't be parsed.")

  /// A regular expression that can't be compiled.
  public static let regularExpression = SourceRule(
    "regular-expression", .warning, in: .compile,
    summary: "A regular expression that can't be compiled.")

  /// A fetch request for an entity that doesn't exist.
  public static let fetchEntity = SourceRule(
    "fetch-entity", .error, in: .compile,
    summary: "A fetch request for an entity that doesn't exist.")

  /// A configuration's entity that doesn't exist.
  public static let configurationMember = SourceRule(
    "configuration-member", .warning, in: .compile,
    summary: "A configuration's entity that doesn't exist.")

  /// CloudKit doesn't support uniqueness constraints.
  public static let cloudKitUniqueness = SourceRule(
    "cloudkit-uniqueness", .error, in: .cloudKit,
    summary: "CloudKit doesn't support uniqueness constraints.")

  /// CloudKit requires attributes to be optional or to have a default.
  public static let cloudKitOptional = SourceRule(
    "cloudkit-optional", .error, in: .cloudKit,
    summary: "CloudKit requires attributes to be optional or to have a default.")

  /// CloudKit requires relationships to be optional.
  public static let cloudKitRelationshipOptional = SourceRule(
    "cloudkit-relationship-optional", .error, in: .cloudKit,
    summary: "CloudKit requires relationships to be optional.")

  /// CloudKit requires every relationship to have an inverse.
  public static let cloudKitInverse = SourceRule(
    "cloudkit-inverse", .error, in: .cloudKit,
    summary: "CloudKit requires every relationship to have an inverse.")

  /// CloudKit doesn't support the delete rule Deny.
  public static let cloudKitDeleteRule = SourceRule(
    "cloudkit-delete-rule", .error, in: .cloudKit,
    summary: "CloudKit doesn't support the delete rule Deny.")

  /// CloudKit doesn't support ordered relationships.
  public static let cloudKitOrdered = SourceRule(
    "cloudkit-ordered", .error, in: .cloudKit,
    summary: "CloudKit doesn't support ordered relationships.")

  /// CloudKit can't store attributes of this type.
  public static let cloudKitType = SourceRule(
    "cloudkit-type", .error, in: .cloudKit, summary: "CloudKit can't store attributes of this type."
  )

  /// A transformable attribute that names no value transformer.
  public static let transformerMissing = SourceRule(
    "transformer-missing", .warning, in: .security,
    summary: "A transformable attribute that names no value transformer.")

  /// A value transformer that decodes any class.
  public static let transformerInsecure = SourceRule(
    "transformer-insecure", .warning, in: .security,
    summary: "A value transformer that decodes any class.")

  /// All rules, in display order.
  public static let all: [SourceRule] = [
    .xml,
    .document,
    .version,
    .unknownElement,
    .unknownAttribute,
    .invalidValue,
    .missingName,
    .invalidName,
    .reservedName,
    .duplicateName,
    .unknownParent,
    .parentCycle,
    .unknownType,
    .undefinedType,
    .invalidDefault,
    .defaultOutOfBounds,
    .crossedBounds,
    .missingDestination,
    .unknownDestination,
    .missingInverse,
    .unknownInverse,
    .inverseMismatch,
    .transientInverse,
    .noActionDeleteRule,
    .orderedToOne,
    .tooManyProperties,
    .unknownComposite,
    .compositeCycle,
    .uniquenessProperty,
    .indexProperty,
    .derivedExpression,
    .predicate,
    .regularExpression,
    .fetchEntity,
    .configurationMember,
    .cloudKitUniqueness,
    .cloudKitOptional,
    .cloudKitRelationshipOptional,
    .cloudKitInverse,
    .cloudKitDeleteRule,
    .cloudKitOrdered,
    .cloudKitType,
    .transformerMissing,
    .transformerInsecure,
  ]
}
