import ModelListing

extension ReportData {
  /// A model as a page shows it.
  public struct Model: Codable, Sendable, Hashable {
    /// The version identifiers that the developer gave it.
    public var identifiers: [String]
    /// The checksum of the model's hashes.
    public var checksum: String?
    /// The compiler that made it, in words.
    public var compiler: String?
    /// The entities, by name.
    public var entities: [Entity]
    /// The configurations, with the places of their entities.
    public var configurations: [Configuration]
    /// The fetch request templates.
    public var requests: [Request]

    /// A configuration.
    public struct Configuration: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// The places of its entities.
      public var entities: [Int]
    }

    /// A fetch request template.
    public struct Request: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// The place of the entity that it fetches.
      public var entity: Int?
      /// The name of the entity that it fetches.
      public var entityName: String?
      /// The condition.
      public var predicate: String?
      /// What else it says, in words.
      public var notes: [String]?
    }
  }

  /// An entity as a page shows it.
  public struct Entity: Codable, Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The class of its objects, where it isn't `NSManagedObject`.
    public var className: String?
    /// Whether no object can be of this very entity; nil for no.
    public var isAbstract: Bool?
    /// The place of its parent.
    public var parent: Int?
    /// The places of the entities right below it.
    public var children: [Int]?
    /// The version hash, 64 digits.
    public var hash: String?
    /// What else it says, in words.
    public var notes: [String]?
    /// The names of its configurations.
    public var configurations: [String]?
    /// Its own attributes and fetched properties.
    public var attributes: [Attribute]
    /// Its own relationships.
    public var relationships: [Relationship]
    /// Its indexes, by name and in words.
    public var indexes: [Named]?
    /// Its uniqueness constraints.
    public var unique: [String]?
    /// Its user info.
    public var info: [Named]?
  }

  /// A name with a text.
  public struct Named: Codable, Sendable, Hashable {
    /// The name.
    public var name: String
    /// The text.
    public var text: String
  }

  /// An attribute or fetched property as a page shows it.
  public struct Attribute: Codable, Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its type in words.
    public var type: String
    /// Whether it may be without a value; nil for no.
    public var isOptional: Bool?
    /// Its default value.
    public var defaultValue: String?
    /// What values must obey, in words.
    public var validation: [String]?
    /// What else it says, in words.
    public var notes: [String]?
    /// The place of the entity that a fetched property fetches.
    public var fetches: Int?
  }

  /// A relationship as a page shows it.
  public struct Relationship: Codable, Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The place of its destination.
    public var to: Int?
    /// The name of its destination.
    public var toName: String?
    /// The name of its inverse.
    public var inverse: String?
    /// Whether it leads to more than one object; nil for no.
    public var isToMany: Bool?
    /// Whether it may lead nowhere; nil for no.
    public var isOptional: Bool?
    /// How many objects it leads to, in words.
    public var count: String
    /// What deletion does to them.
    public var rule: String
    /// What else it says, in words.
    public var notes: [String]?
  }
}
