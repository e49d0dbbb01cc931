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

/// An attribute, a relationship or a fetched property.
///
/// Filled in by the reader that makes it; afterwards it is only read. So its variables need none of the
/// checks for overlapping access, which would be a good part of the time of compiling.
class PropertyDeclaration: @unchecked Sendable {
  @exclusivity(unchecked) final var traits: PropertyTraits

  init(traits: PropertyTraits) {
    self.traits = traits
  }
}

extension PropertyDeclaration {
  var element: SourceElement { traits.element }
  var name: String { traits.name }
  var isOptional: Bool { traits.flags.contains(.optional) }
  var isTransient: Bool { traits.flags.contains(.transient) }
  var isIndexed: Bool { traits.flags.contains(.indexed) }
}

/// An `<attribute>` of an entity or of a composite.
final class AttributeDeclaration: PropertyDeclaration, @unchecked Sendable {
  // Sendable: filled in by the reader that makes it, and only read afterwards.
  @exclusivity(unchecked) var type = NSAttributeType.undefinedAttributeType
  /// Whether the values are scalars in the generated class; nil when the source doesn't say.
  @exclusivity(unchecked) var usesScalar: Bool?
  @exclusivity(unchecked) var defaultText: String?
  @exclusivity(unchecked) var defaultInterval: Double?
  @exclusivity(unchecked) var minimumText: String?
  @exclusivity(unchecked) var maximumText: String?
  @exclusivity(unchecked) var minimumInterval: Double?
  @exclusivity(unchecked) var maximumInterval: Double?
  @exclusivity(unchecked) var regularExpression: String?
  @exclusivity(unchecked) var valueTransformerName: String?
  @exclusivity(unchecked) var customClassName: String?
  @exclusivity(unchecked) var composite: String?
  @exclusivity(unchecked) var isDerived = false
  @exclusivity(unchecked) var derivationExpression: String?
}

/// A `<relationship>`.
final class RelationshipDeclaration: PropertyDeclaration, @unchecked Sendable {
  // Sendable: filled in by the reader that makes it, and only read afterwards.
  @exclusivity(unchecked) var destination: String?
  @exclusivity(unchecked) var inverseName: String?
  @exclusivity(unchecked) var inverseEntity: String?
  @exclusivity(unchecked) var minCount = 0
  /// 0 for as many as there are; 1 makes the relationship to-one.
  @exclusivity(unchecked) var maxCount = 0
  @exclusivity(unchecked) var deleteRule = NSDeleteRule.nullifyDeleteRule

  var isToMany: Bool { maxCount != 1 }
  var isOrdered: Bool { traits.flags.contains(.ordered) }
}

/// A `<fetchedProperty>`.
final class FetchedPropertyDeclaration: PropertyDeclaration, @unchecked Sendable {
  // Sendable: filled in by the reader that makes it, and only read afterwards.
  @exclusivity(unchecked) var fetchRequest: FetchRequestDeclaration?
}
