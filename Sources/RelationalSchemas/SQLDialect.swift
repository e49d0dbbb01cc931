import DataModels

/// An SQL dialect.
public enum SQLDialect: String, Sendable, CaseIterable {
  /// PostgreSQL 13 or later.
  case postgreSQL = "postgresql"
  /// SQLite.
  case sqlite
  /// DuckDB.
  case duckDB = "duckdb"

  /// Returns a quoted identifier, with quotation marks in the name escaped.
  public func quoted(_ name: String) -> String {
    "\"\(name.replacing(scalar: "\"", with: "\"\""))\""
  }

  /// Returns a quoted string literal, with quotation marks escaped. Backslashes aren't special.
  public func literal(_ text: String) -> String { "'\(text.replacing(scalar: "'", with: "''"))'" }

  /// Returns the value that stands for an entity in the column of rows' entities: its name, unless that is longer than
  /// the labels of PostgreSQL's enumerations may be.
  public func label(of entityName: String) -> String {
    self == .postgreSQL ? SQLNames.shortened(entityName) : entityName
  }

  /// Returns the labels of entities as literals, separated by commas.
  func labels(of entityNames: [String]) -> String {
    entityNames.map { literal(label(of: $0)) }.joined(separator: ", ")
  }

  /// Returns a constant as an SQL literal.
  public func literal(_ value: RelationalLiteral, of type: RelationalType) -> String {
    switch value {
    case .integer(let number): return "\(number)"
    case .number(let digits): return digits
    case .boolean(let flag):
      return self == .sqlite ? (flag ? "1" : "0") : (flag ? "true" : "false")
    case .text(let text): return literal(text)
    case .date(let seconds):
      // There are 978307200 seconds between 1970 and 2001.
      switch self {
      case .postgreSQL: return "to_timestamp(\(seconds + 978_307_200))"
      case .duckDB: return "to_timestamp(\(seconds + 978_307_200))"
      case .sqlite: return "strftime('%Y-%m-%d %H:%M:%f', \(seconds + 978_307_200), 'unixepoch')"
      }
    case .uuid(let text): return self == .sqlite ? literal(text) : literal(text) + "::uuid"
    case .bytes(let bytes):
      let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      switch self {
      case .sqlite: return "X'\(digits.joined())'"
      case .postgreSQL: return "'\\x\(digits.joined())'::bytea"
      case .duckDB: return "'\(digits.map { "\\x" + $0 }.joined())'::blob"
      }
    }
  }

  /// Returns the database's name for a type.
  public func name(of type: RelationalType) -> String {
    switch (self, type) {
    case (.sqlite, .int16), (.sqlite, .int32), (.sqlite, .int64): "integer"
    case (_, .int16): "smallint"
    case (_, .int32): "integer"
    case (_, .int64): "bigint"
    case (_, .boolean): "boolean"
    case (.postgreSQL, .double): "double precision"
    case (.duckDB, .double): "double"
    case (.sqlite, .double), (.sqlite, .float): "real"
    case (_, .float): "real"
    case (.duckDB, .decimal): "decimal(38, 9)"
    case (_, .decimal): "numeric"
    // Sorted and compared by code point, as in predicates, with support for prefix searches.
    case (.postgreSQL, .text), (.postgreSQL, .url): "text COLLATE \"C\""
    case (_, .text), (_, .url): "text"
    case (.sqlite, .date): "timestamp"
    case (_, .date): "timestamptz"
    case (_, .uuid): "uuid"
    case (.postgreSQL, .bytes), (.postgreSQL, .transformable): "bytea"
    case (_, .bytes), (_, .transformable): "blob"
    case (.postgreSQL, .json): "jsonb"
    case (.duckDB, .json): "json"
    case (.sqlite, .json): "text"
    }
  }
}
