extension ReportData {
  /// The report data of a store.
  public struct Store: Codable, Sendable, Hashable {
    /// The store's identifier.
    public var identifier: String?
    /// The version of the framework that wrote it.
    public var framework: Int?
    /// Whether the store keeps a copy of its model.
    public var hasModel: Bool
    /// The size of the file in bytes.
    public var fileBytes: Int64
    /// The number of unused bytes in the file.
    public var freeBytes: Int64
    /// The entities that may have objects, sorted by name.
    public var entities: [Entity]
    /// The tables with their sizes; nil if they can't be read.
    public var tables: [Table]?
    /// Whether the sizes are estimated from values instead of pages; nil for no.
    public var areTablesEstimated: Bool?
    /// The persistent history; nil for a store without one.
    public var history: History?
    /// Descriptions of what couldn't be read.
    public var problems: [String]?

    /// The rows of an entity.
    public struct Entity: Codable, Sendable, Hashable {
      /// The entity's index in the model.
      public var entity: Int
      /// The name of the table.
      public var table: String
      /// The number of rows.
      public var rows: Int?
      /// Statistics of the attributes' values.
      public var attributes: [Attribute]?
      /// Statistics of the relationships.
      public var relationships: [Relationship]?
      /// The names of the values in ``samples``.
      public var columns: [String]?
      /// The first rows, and some that others refer to: the key, and the values.
      public var samples: [Sample]?
    }

    /// Statistics of an attribute's values.
    public struct Attribute: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// The number of rows without a value.
      public var nulls: Int
      /// The smallest value.
      public var least: String?
      /// The largest value.
      public var greatest: String?
      /// For a boolean, the number of rows with the value true.
      public var trues: Int?
      /// The total size of the values in bytes.
      public var bytes: Int64?
    }

    /// Statistics of the number of objects that a relationship refers to.
    public struct Relationship: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// Buckets, each consisting of a lowest and a highest number of objects, and the number of rows with that many.
      public var counts: [[Int]]
    }

    /// A table with its indexes.
    public struct Table: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// The size of its pages in bytes.
      public var bytes: Int64
      /// The size of its indexes' pages in bytes.
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
      /// The value, abbreviated; nil for none and for relationships.
      public var text: String?
      /// The first objects that a relationship refers to, each as the entity's index and the key.
      public var links: [[Int64]]?
      /// The number of further objects it refers to.
      public var more: Int?
    }

    /// The persistent history, over time.
    public struct History: Codable, Sendable, Hashable {
      /// The number of transactions.
      public var transactions: Int
      /// The time of the first save.
      public var first: String?
      /// The time of the last save.
      public var last: String?
      /// Time intervals of equal length, with the number of insertions, updates and deletions in each.
      public var buckets: [[Int]]
      /// The authors and the number of their transactions, the most frequent first.
      public var authors: [Named]
    }
  }
}
