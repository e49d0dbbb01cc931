import DataModels

/// What is generated for an entity, in no language yet.
struct GeneratedClass: Sendable {
  var entity: String
  var name: String
  /// The class that is inherited from.
  var superclass: String
  /// Whether the superclass is another entity's.
  var inheritsFromEntity: Bool
  /// Whether the class itself is generated, or only the extension with its properties.
  var isWhole: Bool
  var properties: [GeneratedProperty]
}

/// A property of a generated class.
struct GeneratedProperty: Sendable {
  enum Kind: Sendable {
    /// An attribute, as a scalar of the type when it has one.
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

  /// The name as a part of other names: `Pets` of `pets`.
  var capitalizedName: String {
    name.prefix(1).uppercased() + name.dropFirst()
  }
}
