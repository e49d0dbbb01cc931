import DataModels

/// Where an object keeps a property's value, and what else is asked of the property often.
@_spi(Engines) public final class PropertyLayout: @unchecked Sendable {
  /// What kind of property it is.
  public enum Kind: Sendable, Equatable {
    /// An attribute of a type.
    case attribute(NSAttributeType)
    /// A relationship to one object.
    case toOne
    /// A relationship to many.
    case toMany(isOrdered: Bool)
    /// A fetched property.
    case fetched
  }

  /// The property's name.
  public let name: String
  /// The property itself.
  public let description: NSPropertyDescription
  /// What kind of property it is.
  public let kind: Kind
  /// The value's place among an object's values (attributes and to-ones), or among its to-manys, or
  /// among its fetched properties. The same in every entity of a hierarchy.
  public let slot: Int
  /// Whether the value is left out of the store.
  public let isTransient: Bool
  /// Whether the value may be missing.
  public let isOptional: Bool
  /// What a new object starts with.
  public let defaultValue: StoredValue
  /// The type of an attribute; undefined for anything else.
  public let attributeType: NSAttributeType
  /// Whether the value is one of an object's to-manys.
  public let isToMany: Bool
  /// Whether the property leads to other objects.
  public let isRelationship: Bool
  /// Whether the value is a set with an order.
  public let isOrdered: Bool
  /// Whether the store computes the value.
  public let isDerived: Bool
  /// What becomes of the destinations of a deleted object.
  public let deleteRule: NSDeleteRule

  /// The entity a relationship leads to; set once, when the whole model is laid out.
  unowned(unsafe) var destination: EntityLayout? {
    didSet { destinationID = destination?.id }
  }
  /// Which entity that is, for comparing.
  private(set) var destinationID: ObjectIdentifier?
  /// The relationship back, if there is one; set once, when the whole model is laid out.
  unowned(unsafe) var inverse: PropertyLayout? {
    didSet { inverseIsToOne = inverse?.kind == .toOne }
  }
  /// Whether the relationship back leads to one object.
  private(set) var inverseIsToOne = false

  init(_ description: NSPropertyDescription, slot: Int) {
    self.description = description
    self.slot = slot
    name = description.name
    isTransient = description.isTransient
    isOptional = description.isOptional
    switch description {
    case let attribute as NSAttributeDescription:
      kind = .attribute(attribute.attributeType)
      defaultValue =
        AttributeCodec.stored(attribute.defaultValue, type: attribute.attributeType) ?? .null
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
}

@_spi(Engines) extension PropertyLayout {
  /// The entity a relationship leads to.
  public var destinationLayout: EntityLayout? { destination }

  /// The relationship back, if there is one.
  public var inverseProperty: PropertyLayout? { inverse }

  /// Whether the value is one of a row's: that of an attribute or a to-one.
  public var isOfValues: Bool { !isToMany && kind != .fetched }

  /// A value of the attribute as programs see it: a number, a text, a date …; nil for none.
  public func object(of value: StoredValue) -> Any? {
    AttributeCodec.object(value, type: attributeType)
  }

  /// The stored form of a value that programs would see; nil when it isn't of the attribute's type.
  public func storedValue(of object: Any?) -> StoredValue? {
    AttributeCodec.stored(object, type: attributeType)
  }
}
