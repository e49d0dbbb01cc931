@_spi(Engines) import MomKit

/// An SQL expression and the type that its values have in predicates.
struct SQLOperand {
  /// The type of the values, as far as comparisons are concerned.
  enum ValueType: Hashable {
    case integer, real, decimal, boolean, date, text, uuid, url
    /// Keys of a table, identified by its index in the schema.
    case object(table: Int)
    /// Names of entities.
    case entity

    /// Whether the values are numbers, which are comparable regardless of their width.
    var isNumeric: Bool {
      switch self {
      case .integer, .real, .decimal, .boolean: true
      default: false
      }
    }

    /// Whether PostgreSQL orders the values as predicates do.
    var isOrdered: Bool { isNumeric || self == .date || self == .text || self == .uuid }

    /// Whether values of the two types can be equal.
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

  /// The values as numbers: false is 0, true is 1.
  var number: String { type == .boolean ? "(\(sql))::int" : sql }

  /// The values in a form suitable for sums: single-precision numbers are widened.
  var summand: String { type == .real ? "(\(sql))::float8" : number }
}

/// The meaning of names in a predicate at one point of a statement.
struct SQLScope {
  /// A row in a statement's `FROM` clause.
  struct Row {
    let alias: String
    let table: EntityTable
  }

  /// The row that `SELF` and unqualified key paths refer to.
  let row: Row
  /// The rows that variables refer to: elements of subqueries and of `ANY` and `ALL`.
  var variables: [String: Row] = [:]

  func with(_ name: String, _ row: Row) -> SQLScope {
    var scope = self
    scope.variables[name] = row
    return scope
  }
}
