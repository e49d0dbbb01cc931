import ModelListing

extension ReportData {
  /// The report data of a model.
  public struct Model: Codable, Sendable, Hashable {
    /// The model's version identifiers.
    public var identifiers: [String]
    /// The checksum of the model's hashes.
    public var checksum: String?
    /// The compiler that created it, in words.
    public var compiler: String?
    /// The entities, sorted by name.
    public var entities: [Entity]
    /// The configurations.
    public var configurations: [Configuration]
    /// The fetch request templates.
    public var requests: [Request]

    /// A configuration, with its entities given by index.
    public struct Configuration: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// The indexes of its entities.
      public var entities: [Int]
    }

    /// A fetch request template.
    public struct Request: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// The index of the entity to fetch.
      public var entity: Int?
      /// The name of the entity to fetch.
      public var entityName: String?
      /// The predicate.
      public var predicate: String?
      /// Other settings, in words.
      public var notes: [String]?
    }
  }

  /// The report data of an entity.
  public struct Entity: Codable, Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The class of its objects, if it isn't `NSManagedObject`.
    public var className: String?
    /// Whether the entity is abstract; nil for no.
    public var isAbstract: Bool?
    /// The index of its parent.
    public var parent: Int?
    /// The indexes of its direct subentities.
    public var children: [Int]?
    /// The version hash, 64 hexadecimal digits.
    public var hash: String?
    /// Other settings, in words.
    public var notes: [String]?
    /// The names of its configurations.
    public var configurations: [String]?
    /// Its own attributes and fetched properties.
    public var attributes: [Attribute]
    /// Its own relationships.
    public var relationships: [Relationship]
    /// Its indexes, by name, in words.
    public var indexes: [Named]?
    /// Its uniqueness constraints.
    public var unique: [String]?
    /// Its user info.
    public var info: [Named]?
  }

  /// A name with an associated text.
  public struct Named: Codable, Sendable, Hashable {
    /// The name.
    public var name: String
    /// The text.
    public var text: String
  }

  /// The report data of an attribute or a fetched property.
  public struct Attribute: Codable, Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its type in words.
    public var type: String
    /// Whether it is optional; nil for no.
    public var isOptional: Bool?
    /// Its default value.
    public var defaultValue: String?
    /// The validation rules, in words.
    public var validation: [String]?
    /// Other settings, in words.
    public var notes: [String]?
    /// The index of the entity that a fetched property fetches.
    public var fetches: Int?
  }

  /// The report data of a relationship.
  public struct Relationship: Codable, Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The index of its destination.
    public var to: Int?
    /// The name of its destination.
    public var toName: String?
    /// The name of its inverse.
    public var inverse: String?
    /// Whether it is to-many; nil for no.
    public var isToMany: Bool?
    /// Whether it is optional; nil for no.
    public var isOptional: Bool?
    /// The number of objects it allows, in words.
    public var count: String
    /// The delete rule.
    public var rule: String
    /// Other settings, in words.
    public var notes: [String]?
  }
}
