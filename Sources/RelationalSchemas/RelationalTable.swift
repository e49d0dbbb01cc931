/// A table with the rows of a hierarchy of entities.
public struct RelationalTable: Sendable, Equatable {
  /// The column of rows' keys.
  public static let keyColumn = "_id"
  /// The column that counts how often a row was saved.
  public static let versionColumn = "_version"
  /// The column with the name of a row's entity, where the hierarchy has several.
  public static let entityColumn = "_entity"

  /// Its name: that of the entity at the top.
  public let name: String
  /// The names of all entities that rows can be of, in the hierarchy's order.
  public let entityNames: [String]
  /// The name of the enumeration of these, where the top has entities below it; else there is no column of them.
  public let entityType: String?
  /// The name of the sequence that keys come from.
  public let sequence: String
  /// The columns of attributes, to-one relationships and positions.
  public internal(set) var columns: [RelationalColumn] = []
  /// What must be unique.
  public internal(set) var uniques: [RelationalUnique] = []
  /// What is to be found fast.
  public internal(set) var indexes: [RelationalIndex] = []

  /// How many keys each value of the sequence stands for: so many follow it that are its taker's.
  public static let keysAtOnce: Int64 = 1000
}

/// A column.
public struct RelationalColumn: Sendable, Equatable {
  /// What its values are.
  public enum Kind: Sendable, Equatable {
    /// Those of an attribute.
    case attribute
    /// The keys of rows of a table, which is named; nil for one that isn't among the tables.
    case toOne(table: String, isKeptOnDelete: Bool)
    /// The positions of rows among the members of the row that another column names.
    case position
  }

  /// Its name: that of the property, unless another has it in the table.
  public let name: String
  /// Its type.
  public let type: RelationalType
  /// What its values are.
  public let kind: Kind
  /// The property's name.
  public let property: String
  /// The entities that have the property, in the hierarchy's order; nil for all of the table.
  public internal(set) var entityNames: [String]?
  /// Whether rows of these entities must have a value.
  public let isRequired: Bool
  /// The value of new rows, as SQL says it; nil for none.
  public let standard: RelationalLiteral?
  /// What the model's validation says of the values that SQL can say too.
  public let checks: [RelationalCheck]
}

/// A constant.
public enum RelationalLiteral: Sendable, Equatable {
  /// A whole number.
  case integer(Int64)
  /// A number, as its digits.
  case number(String)
  /// A truth value.
  case boolean(Bool)
  /// A text.
  case text(String)
  /// Seconds since 2001, of a date.
  case date(Double)
}

/// A condition on a column's value.
public enum RelationalCheck: Sendable, Equatable {
  /// The value compares so with a constant: `>=`, `<`.
  case value(String, RelationalLiteral)
  /// The text's length is at least so many, counted in bytes: UTF-16 has no more units than UTF-8.
  case byteCount(atLeast: Int)
  /// The text's length is at most so many, counted in characters of Unicode: UTF-16 has no fewer units.
  case characterCount(atMost: Int)
}

/// Columns whose values must differ from row to row.
public struct RelationalUnique: Sendable, Equatable {
  /// The constraint's name.
  public let name: String
  /// The columns.
  public let columns: [String]
  /// The properties' names.
  public let properties: [String]
  /// The entities whose rows it is about; nil for all of the table.
  public let entityNames: [String]?
}

/// An index.
public struct RelationalIndex: Sendable, Equatable {
  /// Its name.
  public let name: String
  /// The columns, with their order.
  public let columns: [(name: String, isAscending: Bool)]

  /// Compares them.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name
      && left.columns.elementsEqual(right.columns) {
        $0.name == $1.name && $0.isAscending == $1.isAscending
      }
  }
}

/// The type of a column, whatever a database calls it.
public enum RelationalType: String, Sendable, Equatable {
  case int16, int32, int64, boolean, double, float, decimal, text, url, date, uuid, bytes
  /// The object of a composite attribute.
  case json
  /// The bytes that a transformer makes of a value.
  case transformable
}
