extension ReportData {
  /// A store as a page shows it.
  public struct Store: Codable, Sendable, Hashable {
    /// The identifier that the store has.
    public var identifier: String?
    /// The framework that wrote it.
    public var framework: Int?
    /// Whether the store keeps a copy of its model.
    public var hasModel: Bool
    /// How long the file is.
    public var fileBytes: Int64
    /// How much of it is free.
    public var freeBytes: Int64
    /// The entities that may have objects, by name.
    public var entities: [Entity]
    /// The tables with their sizes; nil where SQLite can't tell.
    public var tables: [Table]?
    /// The persistent history; nil for a store that keeps none.
    public var history: History?
    /// What couldn't be read.
    public var problems: [String]?

    /// The rows of an entity.
    public struct Entity: Codable, Sendable, Hashable {
      /// The entity's place in the model.
      public var entity: Int
      /// The name of the table.
      public var table: String
      /// How many rows there are.
      public var rows: Int?
      /// What the values of attributes are like.
      public var attributes: [Attribute]?
      /// How many objects relationships lead to.
      public var relationships: [Relationship]?
      /// The names of the values of ``samples``.
      public var columns: [String]?
      /// The first rows, and some that others lead to: the key, and the values.
      public var samples: [Sample]?
    }

    /// The values of an attribute.
    public struct Attribute: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// How many rows have no value.
      public var nulls: Int
      /// The least value.
      public var least: String?
      /// The greatest value.
      public var greatest: String?
      /// How many rows say yes, of a boolean.
      public var trues: Int?
      /// How many bytes the values have together.
      public var bytes: Int64?
    }

    /// How many objects a relationship leads to.
    public struct Relationship: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// From a number of objects to another, and how many rows lead to as many.
      public var counts: [[Int]]
    }

    /// A table with its indexes.
    public struct Table: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// The bytes of its pages.
      public var bytes: Int64
      /// The bytes of the pages of its indexes.
      public var indexBytes: Int64
    }

    /// A row.
    public struct Sample: Codable, Sendable, Hashable {
      /// Its key.
      public var key: Int64
      /// Its values.
      public var values: [Value]
    }

    /// A value of a row.
    public struct Value: Codable, Sendable, Hashable {
      /// The value, shortened; nil for none and for relationships.
      public var text: String?
      /// The objects that a relationship leads to: the entity's place and the key of each of the first.
      public var links: [[Int64]]?
      /// How many objects it leads to beyond these.
      public var more: Int?
    }

    /// The persistent history, over time.
    public struct History: Codable, Sendable, Hashable {
      /// How many saves there are.
      public var transactions: Int
      /// The time of the first save.
      public var first: String?
      /// The time of the last save.
      public var last: String?
      /// Stretches of time of one length: insertions, updates and deletions of each.
      public var buckets: [[Int]]
      /// Who saved, and how often, the most often first.
      public var authors: [Named]
    }
  }
}
