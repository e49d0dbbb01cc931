import DataModels

/// The storage of a property in an object, and cached facts about the property.
@_spi(Engines) public final class PropertyLayout: @unchecked Sendable {
  // Sendable: made of a frozen model, and linked to the other layouts before anyone else sees it.

  /// The kind of a property.
  public enum Kind: Sendable, Equatable {
    /// An attribute of a type.
    case attribute(NSAttributeType)
    /// A to-one relationship.
    case toOne
    /// A to-many relationship.
    case toMany(isOrdered: Bool)
    /// A fetched property.
    case fetched
  }

  /// The property's name.
  public let name: String
  /// The property itself.
  public let description: NSPropertyDescription
  /// The kind of property.
  public let kind: Kind
  /// The index of the value among an object's values (attributes and to-one relationships), its to-many
  /// relationships, or its fetched properties. The same in every entity of a hierarchy.
  public let slot: Int
  /// Whether the value isn't stored.
  public let isTransient: Bool
  /// Whether the value may be missing.
  public let isOptional: Bool
  /// The value in a new object.
  public let defaultValue: StoredValue
  /// The type of an attribute; undefined for other properties.
  public let attributeType: NSAttributeType
  /// Whether this is a to-many relationship.
  public let isToMany: Bool
  /// Whether this is a relationship.
  public let isRelationship: Bool
  /// Whether the relationship is ordered.
  public let isOrdered: Bool
  /// Whether the store computes the value.
  public let isDerived: Bool
  /// The delete rule: what happens to the destinations when the object is deleted.
  public let deleteRule: NSDeleteRule

  /// A relationship's destination entity; set once, when the whole model is laid out.
  unowned(unsafe) var destination: EntityLayout? {
    didSet { destinationID = destination?.id }
  }
  /// The identity of the destination entity, for comparison.
  private(set) var destinationID: ObjectIdentifier?
  /// The inverse relationship, if there is one; set once, when the whole model is laid out.
  unowned(unsafe) var inverse: PropertyLayout? {
    didSet { inverseIsToOne = inverse?.kind == .toOne }
  }
  /// Whether the inverse is a to-one relationship.
  private(set) var inverseIsToOne = false
  /// Whether the members' own rows say which object a to-many relationship's members belong to: its inverse is to-one,
  /// and leads back to it. Set once, when the whole model is laid out.
  private(set) var isToldByMembers = false
  /// Whether objects of other entities than the destination may get into the relationship, because it is the inverse
  /// of one that they have; set once, when the whole model is laid out.
  var admitsStrangers = false

  init(_ description: NSPropertyDescription, slot: Int) {
    self.description = description
    self.slot = slot
    name = description.name
    isTransient = description.isTransient
    isOptional = description.isOptional
    switch description {
    case let attribute as NSAttributeDescription:
      kind = .attribute(attribute.attributeType)
      defaultValue = AttributeCodec.defaultValue(of: attribute)
      deleteRule = .noActionDeleteRule
    case let relationship as NSRelationshipDescription:
      kind = relationship.isToMany ? .toMany(isOrdered: relationship.isOrdered) : .toOne
      defaultValue = .null
      deleteRule = relationship.deleteRule
    default:
      kind = .fetched
      defaultValue = .null
      deleteRule = .noActionDeleteRule
    }
    if case .attribute(let type) = kind {
      attributeType = type
    } else {
      attributeType = .undefinedAttributeType
    }
    switch kind {
    case .toMany(let isOrdered): (isToMany, self.isOrdered) = (true, isOrdered)
    default: (isToMany, isOrdered) = (false, false)
    }
    isRelationship = isToMany || kind == .toOne
    isDerived = description is NSDerivedAttributeDescription
  }

  /// Whether the deletion of a destination changes the relationship.
  var isClearedByDeletions: Bool {
    inverse.map { $0.deleteRule != .noActionDeleteRule } ?? false
  }

  /// Whether a relationship may lead to an entity's objects.
  func accepts(_ entity: EntityLayout) -> Bool { destination.map(entity.isKind) ?? false }

  /// Compares the relationship with its inverse, once all inverses are known.
  func meetInverse() {
    isToldByMembers = isToMany && inverseIsToOne && inverse?.inverse === self
  }
}

@_spi(Engines) extension PropertyLayout {
  /// A relationship's destination entity.
  public var destinationLayout: EntityLayout? { destination }

  /// The inverse relationship, if there is one.
  public var inverseProperty: PropertyLayout? { inverse }

  /// Whether rows contain the value: true for an attribute or a to-one relationship.
  public var isOfValues: Bool { !isToMany && kind != .fetched }

  /// A value of the attribute in its public form: a number, a string, a date, …; nil if there is none.
  public func object(of value: StoredValue) -> Any? {
    AttributeCodec.object(value, type: attributeType)
  }

  /// The stored form of a public value; nil if it isn't valid for the attribute's type.
  public func storedValue(of object: Any?) -> StoredValue? {
    AttributeCodec.stored(object, type: attributeType)
  }
}
