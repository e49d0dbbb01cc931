// The rules of the model check, grouped by subject.
extension ModelFinding.Code {
  private init(_ rawValue: String) {
    self.init(rawValue: rawValue)
  }

  // MARK: The model

  /// A configuration contains an entity that isn't in the model.
  public static let configurationMember = Self("configuration-member")
  /// A configuration uses the name reserved for the configuration of all entities.
  public static let configurationName = Self("configuration-name")
  /// A fetch request has no entity, or one that isn't in the model.
  public static let fetchRequestEntity = Self("fetch-request-entity")

  /// A predicate uses a key that doesn't exist.
  public static let keyPath = Self("key-path")

  // MARK: Entities

  /// An entity has no name.
  public static let entityName = Self("entity-name")
  /// Two entities have the same name, or names that differ only in case.
  public static let duplicateEntity = Self("duplicate-entity")
  /// An entity is its own ancestor.
  public static let hierarchyCycle = Self("hierarchy-cycle")
  /// A superentity or subentity isn't in the model, or the two links are inconsistent.
  public static let hierarchy = Self("hierarchy")
  /// An abstract entity has no subentities, so it can't have objects.
  public static let abstractLeaf = Self("abstract-leaf")
  /// A uniqueness constraint refers to something that isn't a stored attribute.
  public static let uniqueness = Self("uniqueness")

  /// An entity with a uniqueness constraint is the required destination of a to-one relationship: resolving a conflict
  /// could leave an object without it. Core Data's compiler rejects this.
  public static let uniquenessInverse = Self("uniqueness-inverse")
  /// Two entities, or two properties of an entity, have the same renaming identifier.
  public static let renamingIdentifier = Self("renaming-identifier")

  // MARK: Indexes

  /// An index has no name, or the name of another index of the entity.
  public static let indexName = Self("index-name")
  /// An index refers to something that isn't stored in the entity's table.
  public static let indexElement = Self("index-element")
  /// An R-tree index refers to something it can't index.
  public static let indexType = Self("index-type")

  // MARK: Properties

  /// A property has no name, or one that isn't an identifier.
  public static let propertyName = Self("property-name")
  /// A property has the name of a method of every managed object.
  public static let reservedName = Self("reserved-name")
  /// Two properties of an entity have the same name, or names that differ only in case.
  public static let duplicateProperty = Self("duplicate-property")
  /// A property has the same name as an inherited one.
  public static let shadowing = Self("shadowing")
  /// Validation predicates and warnings don't match.
  public static let validationWarnings = Self("validation-warnings")
  /// A fetched property has no fetch request.
  public static let fetchedProperty = Self("fetched-property")

  // MARK: Attributes

  /// An attribute has a type that its description or its storage doesn't allow.
  public static let attributeType = Self("attribute-type")
  /// A default value doesn't fit the attribute's type.
  public static let defaultValue = Self("default-value")
  /// A lower bound exceeds the upper bound.
  public static let bounds = Self("bounds")
  /// External storage is allowed for something other than binary data.
  public static let externalStorage = Self("external-storage")
  /// A derived attribute has no expression, or one that refers to something that doesn't exist.
  public static let derivation = Self("derivation")
  /// A composite has no elements, or elements that can't be in one.
  public static let composite = Self("composite")

  // MARK: Relationships

  /// A relationship has no destination, or one that isn't in the model.
  public static let destination = Self("destination")
  /// A relationship has no inverse.
  public static let missingInverse = Self("missing-inverse")
  /// A relationship's inverse doesn't lead back to it.
  public static let inverse = Self("inverse")
  /// The minimum count is above the maximum count, or a count is negative.
  public static let counts = Self("counts")
  /// A to-one relationship is ordered.
  public static let orderedToOne = Self("ordered-to-one")
  /// A delete rule leaves dangling relationships.
  public static let deleteRule = Self("delete-rule")
}
