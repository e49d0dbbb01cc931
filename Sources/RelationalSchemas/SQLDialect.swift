/// A database's SQL.
public enum SQLDialect: String, Sendable, CaseIterable {
  /// PostgreSQL, from 13 on.
  case postgreSQL = "postgresql"
  /// SQLite.
  case sqlite
  /// DuckDB.
  case duckDB = "duckdb"

  /// A name as SQL has it, in quotes: it can't end them.
  public func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

  /// A text as SQL has it, in quotes: it can't end them. Backslashes mean nothing.
  public func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

  /// A constant as SQL has it.
  public func literal(_ value: RelationalLiteral, of type: RelationalType) -> String {
    switch value {
    case .integer(let number): return "\(number)"
    case .number(let digits): return digits
    case .boolean(let flag):
      return self == .sqlite ? (flag ? "1" : "0") : (flag ? "true" : "false")
    case .text(let text): return literal(text)
    case .date(let seconds):
      // 978307200 seconds lie between 1970 and 2001.
      switch self {
      case .postgreSQL: return "to_timestamp(\(seconds + 978_307_200))"
      case .duckDB: return "to_timestamp(\(seconds + 978_307_200))"
      case .sqlite: return "strftime('%Y-%m-%d %H:%M:%f', \(seconds + 978_307_200), 'unixepoch')"
      }
    }
  }

  /// What the database calls a type.
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
    // Sorted and compared by code points, as predicates do, and found by their beginnings.
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
