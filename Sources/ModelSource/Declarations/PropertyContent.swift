import DataModels

/// What attributes, relationships and fetched properties say alike.
struct PropertyTraits: Sendable {
  var element: SourceElement
  var name = ""
  /// The yes-or-no settings.
  var flags: PropertyFlags = []
  var renamingIdentifier: String?
  var versionHashModifier: String?
  var userInfo: [UserInfoEntry] = []
}

/// What an attribute, a relationship or a fetched property says.
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

/// What an `<attribute>` of an entity or of a composite says.
struct AttributeContent: PropertyContent {
  var traits: PropertyTraits
  var type = NSAttributeType.undefinedAttributeType
  /// Whether the values are scalars in the generated class; nil when the source doesn't say.
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

/// What a `<relationship>` says.
struct RelationshipContent: PropertyContent {
  var traits: PropertyTraits
  var destination: String?
  var inverseName: String?
  var inverseEntity: String?
  var minCount = 0
  /// 0 for as many as there are; 1 makes the relationship to-one.
  var maxCount = 0
  var deleteRule = NSDeleteRule.nullifyDeleteRule

  var isToMany: Bool { maxCount != 1 }
  var isOrdered: Bool { traits.flags.contains(.ordered) }
}

/// What a `<fetchedProperty>` says.
struct FetchedPropertyContent: PropertyContent {
  var traits: PropertyTraits
  var fetchRequest: FetchRequestDeclaration?
}
