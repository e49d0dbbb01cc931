/// A table that contains the rows of an entity hierarchy.
public struct RelationalTable: Sendable, Equatable {
  /// The name of the primary key column.
  public static let keyColumn = "_id"
  /// The name of the column that counts how often a row has been saved.
  public static let versionColumn = "_version"
  /// The name of the column with the name of a row's entity, in hierarchies with several entities.
  public static let entityColumn = "_entity"

  /// The table's name: that of the root entity.
  public let name: String
  /// The names of the entities that rows can belong to, in the hierarchy's order.
  public let entityNames: [String]
  /// The name of the enumeration type of these entities, or nil if the root has no subentities; there is then no
  /// entity column.
  public let entityType: String?
  /// The name of the sequence for keys.
  public let sequence: String
  /// The columns for attributes, to-one relationships and positions.
  public internal(set) var columns: [RelationalColumn] = []
  /// The uniqueness constraints.
  public internal(set) var uniques: [RelationalUnique] = []
  /// The indexes.
  public internal(set) var indexes: [RelationalIndex] = []

  /// The number of keys that each value of the sequence reserves for whoever took it.
  public static let keysAtOnce: Int64 = 1000
}

/// A column.
public struct RelationalColumn: Sendable, Equatable {
  /// What a column contains.
  public enum Kind: Sendable, Equatable {
    /// An attribute's values.
    case attribute
    /// A to-one relationship's keys, which refer to the given table, or to none if it isn't part of the schema.
    case toOne(table: String, isKeptOnDelete: Bool)
    /// The positions of rows among the members of the row that another column refers to.
    case position
  }

  /// The column's name: that of the property, unless it is already taken in the table.
  public let name: String
  /// Its type.
  public let type: RelationalType
  /// What the column contains.
  public let kind: Kind
  /// The property's name.
  public let property: String
  /// The names of the entities that have the property, in the hierarchy's order, or nil if all of the table's
  /// entities do.
  public internal(set) var entityNames: [String]?
  /// Whether rows of these entities must have a value.
  public let isRequired: Bool
  /// The default value, or nil if there is none.
  public let standard: RelationalLiteral?
  /// The model's validation rules, as far as SQL can express them.
  public let checks: [RelationalCheck]
}

/// A constant.
public enum RelationalLiteral: Sendable, Equatable {
  /// An integer.
  case integer(Int64)
  /// A number, given by its digits.
  case number(String)
  /// A Boolean.
  case boolean(Bool)
  /// A string.
  case text(String)
  /// A date, in seconds since 2001.
  case date(Double)
  /// A UUID, as text.
  case uuid(String)
  /// Bytes.
  case bytes([UInt8])
}

/// A condition on a column's value.
public enum RelationalCheck: Sendable, Equatable {
  /// The value must compare to a constant by the given operator, such as `>=` or `<`.
  case value(String, RelationalLiteral)
  /// The string must have at least the given length in bytes. Its UTF-8 form has at least as many code units as
  /// UTF-16.
  case byteCount(atLeast: Int)
  /// The string must have at most the given length in Unicode characters. UTF-16 has at least as many code units.
  case characterCount(atMost: Int)
}

/// Columns whose combined values must be unique.
public struct RelationalUnique: Sendable, Equatable {
  /// The constraint's name.
  public let name: String
  /// The columns' names.
  public let columns: [String]
  /// The properties' names.
  public let properties: [String]
  /// The names of the entities that the constraint applies to, or nil for all of the table.
  public let entityNames: [String]?
}

/// An index.
public struct RelationalIndex: Sendable, Equatable {
  /// The index's name.
  public let name: String
  /// The columns and their sort order.
  public let columns: [(name: String, isAscending: Bool)]

  /// Returns whether two indexes are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name
      && left.columns.elementsEqual(right.columns) {
        $0.name == $1.name && $0.isAscending == $1.isAscending
      }
  }
}

extension RelationalTable {
  /// The number of characters that an index in PostgreSQL has room for: its rows have at most 2704 bytes, and a
  /// character up to four.
  private static let indexedCharacters = 600

  /// Returns how many characters of a column's strings an index contains in PostgreSQL, so that longer ones can be saved,
  /// or nil if it contains whole values.
  public func indexedLength(of column: RelationalColumn, in index: RelationalIndex) -> Int? {
    guard column.type == .text || column.type == .url else { return nil }
    let names = Set(index.columns.map(\.name))
    let texts = columns.count { names.contains($0.name) && ($0.type == .text || $0.type == .url) }
    let length = Self.indexedCharacters / max(1, texts)
    let isShort = column.checks.contains {
      if case .characterCount(let most) = $0 { most <= length } else { false }
    }
    return isShort ? nil : length
  }

  /// Whether PostgreSQL has an index: not of values that are compared in memory only, and may be long.
  func hasIndexInPostgreSQL(_ index: RelationalIndex) -> Bool {
    index.columns.allSatisfy { name, _ in
      columns.allSatisfy {
        $0.name != name || ![.bytes, .transformable, .json].contains($0.type)
      }
    }
  }
}

/// A column's type, independent of the database.
public enum RelationalType: String, Sendable, Equatable {
  case int16, int32, int64, boolean, double, float, decimal, text, url, date, uuid, bytes
  /// A composite attribute's values, as a JSON object.
  case json
  /// The data that a value transformer produces.
  case transformable
}
