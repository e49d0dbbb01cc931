import ManagedModel

/// What attributes, relationships and fetched properties say alike.
struct PropertyTraits: Sendable {
  var element: SourceElement
  var name = ""
  var isOptional = false
  var isTransient = false
  var renamingIdentifier: String?
  var versionHashModifier: String?
  var isIndexedBySpotlight = false
  var isStoredInExternalRecord = false
  var isIndexed = false
  var userInfo: [UserInfoEntry] = []
}

/// An attribute, a relationship or a fetched property.
///
/// Filled in by the reader that makes it; afterwards it is only read.
class PropertyDeclaration: @unchecked Sendable {
  var traits: PropertyTraits

  init(traits: PropertyTraits) {
    self.traits = traits
  }
}

extension PropertyDeclaration {
  var element: SourceElement { traits.element }
  var name: String { traits.name }
  var isOptional: Bool { traits.isOptional }
  var isTransient: Bool { traits.isTransient }
  var isIndexed: Bool { traits.isIndexed }
}

/// An `<attribute>` of an entity or of a composite.
final class AttributeDeclaration: PropertyDeclaration, @unchecked Sendable {
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
  var allowsExternalStorage = false
  var allowsCloudEncryption = false
  var preservesValueOnDeletion = false
}

/// A `<relationship>`.
final class RelationshipDeclaration: PropertyDeclaration, @unchecked Sendable {
  var destination: String?
  var inverseName: String?
  var inverseEntity: String?
  var minCount = 0
  /// 0 for as many as there are; 1 makes the relationship to-one.
  var maxCount = 0
  var isOrdered = false
  var deleteRule = NSDeleteRule.nullifyDeleteRule

  var isToMany: Bool { maxCount != 1 }
}

/// A `<fetchedProperty>`.
final class FetchedPropertyDeclaration: PropertyDeclaration, @unchecked Sendable {
  var fetchRequest: FetchRequestDeclaration?
}
