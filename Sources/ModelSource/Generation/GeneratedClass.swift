import DataModels

/// A language-independent description of the class generated for an entity.
struct GeneratedClass: Sendable {
  var entity: String
  var name: String
  /// The superclass.
  var superclass: String
  /// Whether the superclass is that of another entity.
  var inheritsFromEntity: Bool
  /// Whether the superclass itself is generated; otherwise the developer writes it.
  var isSuperclassWhole: Bool
  /// Whether the class itself is generated, rather than only the extension with its properties.
  var isWhole: Bool
  var properties: [GeneratedProperty]
}

/// A property of a generated class.
struct GeneratedProperty: Sendable {
  enum Kind: Sendable {
    /// An attribute, as a scalar if requested and supported by the type.
    case attribute(NSAttributeType, usesScalar: Bool, customClass: String?)
    /// A relationship to one object of a class.
    case toOne(String)
    /// A relationship to many objects of a class.
    case toMany(String, isOrdered: Bool)
    /// A fetched property.
    case fetched(String)
  }

  var name: String
  var kind: Kind
  /// Whether there are methods that add members to and remove them from a to-many relationship.
  var hasMemberMethods = true

  /// The capitalized name for use in other names: `Pets` for `pets`.
  var capitalizedName: String {
    name.prefix(1).uppercased() + name.dropFirst()
  }
}
