@_spi(Engines) import MomKit

/// An expression of SQL, with what its values are in predicates.
struct SQLOperand {
  /// What the values are, as predicates compare them.
  enum ValueType: Hashable {
    case integer, real, decimal, boolean, date, text, uuid, url
    /// Keys of a table, by its number in the schema.
    case object(table: Int)
    /// Names of entities.
    case entity

    /// Whether values are numbers, which are compared whatever their width.
    var isNumeric: Bool {
      switch self {
      case .integer, .real, .decimal, .boolean: true
      default: false
      }
    }

    /// Whether PostgreSQL orders the values as predicates do.
    var isOrdered: Bool { isNumeric || self == .date || self == .text || self == .uuid }

    /// Whether values of the other type can be equal to ones of this.
    func isComparable(with other: ValueType) -> Bool {
      self == other || isNumeric && other.isNumeric
    }
  }

  let sql: String
  let type: ValueType
  /// Whether the values are never NULL.
  var isRequired = false

  init(_ sql: String, _ type: ValueType, isRequired: Bool = false) {
    (self.sql, self.type, self.isRequired) = (sql, type, isRequired)
  }

  /// The values as numbers: truth values are 0 and 1.
  var number: String { type == .boolean ? "(\(sql))::int" : sql }

  /// The values as they are added: those of four bytes as ones of eight.
  var summand: String { type == .real ? "(\(sql))::float8" : number }
}

/// What names in a predicate stand for, in one place of a statement.
struct SQLScope {
  /// A row of a statement's `FROM`.
  struct Row {
    let alias: String
    let table: EntityTable
  }

  /// What `SELF` and bare key paths are about.
  let row: Row
  /// What variables stand for: the elements of subqueries and of `ANY` and `ALL`.
  var variables: [String: Row] = [:]

  func with(_ name: String, _ row: Row) -> SQLScope {
    var scope = self
    scope.variables[name] = row
    return scope
  }
}
