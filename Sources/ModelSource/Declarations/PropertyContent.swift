import DataModels

/// The settings common to attributes, relationships and fetched properties.
struct PropertyTraits: Sendable {
  var element: SourceElement
  var name = ""
  /// The Boolean settings.
  var flags: PropertyFlags = []
  var renamingIdentifier: String?
  var versionHashModifier: String?
  var userInfo: [UserInfoEntry] = []
}

/// The content of an attribute, a relationship or a fetched property.
protocol PropertyContent: Sendable {
  var traits: PropertyTraits { get }
}

extension Declaration where Content: PropertyContent {
  var traits: PropertyTraits { content.traits }
  var element: SourceElement { content.traits.element }
  var name: String { content.traits.name }
  var isOptional: Bool { content.traits.flags.contains(.optional) }
  var isTransient: Bool { content.traits.flags.contains(.transient) }
  var isIndexed: Bool { content.traits.flags.contains(.indexed) }
}

/// The content of an `<attribute>` of an entity or a composite.
struct AttributeContent: PropertyContent {
  var traits: PropertyTraits
  var type = NSAttributeType.undefinedAttributeType
  /// Whether the generated class uses a scalar type; nil when unspecified.
  var usesScalar: Bool?
  var defaultText: String?
  var defaultInterval: Double?
  var minimumText: String?
  var maximumText: String?
  var minimumInterval: Double?
  var maximumInterval: Double?
  var regularExpression: String?
  var valueTransformerName: String?
  var customClassName: String?
  var composite: String?
  var isDerived = false
  var derivationExpression: String?
}

/// The content of a `<relationship>`.
struct RelationshipContent: PropertyContent {
  var traits: PropertyTraits
  var destination: String?
  var inverseName: String?
  var inverseEntity: String?
  var minCount = 0
  /// 0 for no limit; 1 makes the relationship to-one.
  var maxCount = 0
  var deleteRule = NSDeleteRule.nullifyDeleteRule

  var isToMany: Bool { maxCount != 1 }
  var isOrdered: Bool { traits.flags.contains(.ordered) }
}

/// The content of a `<fetchedProperty>`.
struct FetchedPropertyContent: PropertyContent {
  var traits: PropertyTraits
  var fetchRequest: FetchRequestDeclaration?
}
