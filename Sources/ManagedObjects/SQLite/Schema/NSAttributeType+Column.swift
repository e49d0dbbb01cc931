import DataModels

/// The representation of attribute types in SQLite stores.
///
/// A new type needs a case in ``columnKind``, and a new kind of column one in each of the other members. The compiler
/// finds these places, since none has a `default`.
extension NSAttributeType {
  /// The content of a column.
  enum ColumnKind: Sendable {
    /// Integers within a range.
    case integer(ClosedRange<Int64>)
    case boolean, real, date, decimal, text, url, uuid, bytes
    /// Bytes that a transformer decodes.
    case transformable
    /// No column: composites have columns for their elements.
    case none
  }

  /// The content of the type's columns.
  var columnKind: ColumnKind {
    switch self {
    case .integer16AttributeType: .integer(Int64(Int16.min)...Int64(Int16.max))
    case .integer32AttributeType: .integer(Int64(Int32.min)...Int64(Int32.max))
    case .integer64AttributeType: .integer(.min ... .max)
    case .booleanAttributeType: .boolean
    case .doubleAttributeType, .floatAttributeType: .real
    case .dateAttributeType: .date
    case .decimalAttributeType: .decimal
    case .stringAttributeType: .text
    case .URIAttributeType: .url
    case .UUIDAttributeType: .uuid
    case .binaryDataAttributeType: .bytes
    case .transformableAttributeType: .transformable
    case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: .none
    }
  }

  /// The type declared in tables, and the rank of such columns in the column order.
  var declaration: (type: String, rank: SchemaColumn.Rank) {
    switch columnKind {
    case .integer, .boolean: ("INTEGER", .integer)
    case .real: ("FLOAT", .floating)
    case .date: ("TIMESTAMP", .floating)
    case .decimal: ("DECIMAL", .decimal)
    case .text, .none: ("VARCHAR", .string)
    case .url: ("VARCHAR", .uri)
    case .uuid: ("BLOB", .uuid)
    case .transformable: ("BLOB", .transformable)
    case .bytes: ("BLOB", .binary)
    }
  }

  /// The field that reads and writes a column's value.
  func field(column: Int32, isExternal: Bool = false) -> RowField {
    switch columnKind {
    case .integer, .boolean: .integer(column: column)
    case .real, .date: .real(column: column)
    case .decimal: .decimal(column: column)
    case .text, .none: .text(column: column)
    case .url: .url(column: column)
    case .uuid: .uuid(column: column)
    case .bytes: isExternal ? .external(column: column) : .data(column: column)
    case .transformable: .transformable(column: column)
    }
  }

  /// The type of values in predicates in SQL; nil for values that SQL doesn't compare.
  var operandType: SQLOperand.ValueType? {
    switch columnKind {
    case .integer: .integer
    case .boolean: .boolean
    case .real: .real
    case .date: .date
    case .decimal: .decimal
    case .text: .text
    case .url: .url
    case .uuid: .uuid
    case .bytes, .transformable, .none: nil
    }
  }

  /// The SQL that converts a computed value for an attribute, truncated as in an object; nil if the types are
  /// incompatible.
  func assigned(_ sql: String, _ value: SQLOperand.ValueType) -> String? {
    guard value.isNumeric else { return operandType == value ? sql : nil }
    return switch columnKind {
    case .integer(.min ... .max): "CAST(\(sql) AS INTEGER)"
    case .integer(let range):
      "(((CAST(\(sql) AS INTEGER) + \(range.upperBound + 1)) & \(range.upperBound * 2 + 1))"
        + " - \(range.upperBound + 1))"
    case .boolean: "(\(sql) <> 0)"
    case .real, .decimal: "CAST(\(sql) AS REAL)"
    case .date, .text, .url, .uuid, .bytes, .transformable, .none: nil
    }
  }

  /// The SQL that converts a value from another type's column in a migration, with whole numbers clamped to the
  /// range.
  func converted(_ sql: String) -> String {
    switch columnKind {
    case .integer(.min ... .max): "CAST(\(sql) AS INTEGER)"
    case .integer(let range):
      // SQLite's `min` and `max` of NULL are NULL.
      "min(max(CAST(\(sql) AS INTEGER), \(range.lowerBound)), \(range.upperBound))"
    case .boolean: "CASE WHEN \(sql) IS NOT NULL THEN \(sql) <> 0 END"
    case .real, .decimal: "CAST(\(sql) AS REAL)"
    case .date, .text, .url, .uuid, .bytes, .transformable, .none: sql
    }
  }

  /// The result type of a sum or an average.
  func aggregated(isSum: Bool) -> NSAttributeType {
    switch columnKind {
    case .decimal: .decimalAttributeType
    case .integer, .boolean: isSum ? .integer64AttributeType : .doubleAttributeType
    case .real: .doubleAttributeType
    case .date, .text, .url, .uuid, .bytes, .transformable, .none:
      isSum ? .undefinedAttributeType : .doubleAttributeType
    }
  }

  /// The SQL of a column's value in readable form.
  func shown(_ column: String) -> String {
    switch columnKind {
    case .date:
      // Three digits of the fraction, so that the texts sort as the dates do. SQLite rounds them, to the next day even;
      // almost half a millisecond less cuts them off. Beyond the year 9999, it has no text.
      let text = "strftime('%Y-%m-%dT%H:%M:%fZ', \(column) + 978307199.99953, 'unixepoch')"
      return "coalesce(\(text), \(column))"
    case .uuid:
      let hex = "hex(\(column))"
      let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map {
        "substr(\(hex), \($0.0), \($0.1))"
      }
      return "CASE WHEN \(column) IS NOT NULL THEN \(parts.joined(separator: " || '-' || ")) END"
    case .integer, .boolean, .real, .decimal, .text, .url, .bytes, .transformable, .none:
      return column
    }
  }

  /// The condition for values that are invalid for the type, and its description.
  func problem(in column: String) -> (message: String, condition: String)? {
    func bounds(_ name: String, _ range: ClosedRange<Int64>) -> (String, String) {
      (
        "the value isn't a \(name)",
        "typeof(\(column)) NOT IN ('integer', 'null') OR \(column) NOT BETWEEN "
          + "\(range.lowerBound) AND \(range.upperBound)"
      )
    }
    switch columnKind {
    case .integer(.min ... .max):
      return ("the value isn't an integer", "typeof(\(column)) NOT IN ('integer', 'null')")
    case .integer(let range):
      let bits = Int64.bitWidth - range.upperBound.leadingZeroBitCount + 1
      return bounds("\(bits)-bit integer", range)
    case .boolean: return bounds("Boolean", 0...1)
    case .real, .date:
      return (
        "the value isn't a number that a double can represent",
        "typeof(\(column)) IN ('text', 'blob') OR typeof(\(column)) = 'integer' "
          + "AND (CAST(CAST(\(column) AS REAL) AS INTEGER) <> \(column) OR \(column) > "
          + "9223372036854774784)"
      )
    case .decimal:
      return (
        "the value isn't a finite number",
        "typeof(\(column)) IN ('text', 'blob') OR \(column) IN (9e999, -9e999)"
      )
    case .text, .url: return ("the value isn't text", "typeof(\(column)) = 'blob'")
    case .uuid:
      return (
        "the value doesn't have 16 bytes",
        "\(column) IS NOT NULL AND (typeof(\(column)) <> 'blob' OR length(\(column)) <> 16)"
      )
    case .bytes, .transformable:
      return ("the value isn't binary data", "typeof(\(column)) NOT IN ('blob', 'null')")
    case .none: return nil
    }
  }
}
