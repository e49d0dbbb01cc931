import DataModels

/// An SQL expression with the type of its values.
struct SQLOperand {
  /// The type of the values, as predicates compare them.
  enum ValueType: Hashable {
    case integer, real, decimal, boolean, date, text, uuid, url
    /// The key of a row of the hierarchy with this number.
    case object(root: Int)
    /// The number of an entity.
    case entity

    /// Whether values are numbers, which are compared regardless of their width.
    var isNumeric: Bool {
      switch self {
      case .integer, .real, .decimal, .boolean: true
      default: false
      }
    }

    /// Whether SQL computes with the values: dates are numbers of seconds.
    var isComputed: Bool { isNumeric || self == .date }

    /// Whether SQLite orders the values as predicates do.
    var isOrdered: Bool { isNumeric || self == .date || self == .text || self == .uuid }

    /// Whether values of the other type can equal values of this type.
    func isComparable(with other: ValueType) -> Bool {
      self == other || isComputed && other.isComputed
    }

    /// Whether values are meaningful outside their row: keys aren't.
    var isValue: Bool {
      switch self {
      case .object, .entity: false
      default: true
      }
    }
  }

  let sql: String
  let type: ValueType

  init(_ sql: String, _ type: ValueType) {
    self.sql = sql
    self.type = type
  }
}

/// The bindings of names in a predicate at one place in a statement.
struct SQLScope {
  /// A row of a statement's `FROM`.
  struct Row {
    let alias: String
    let entity: SchemaEntity
  }

  /// The row of `SELF` and of plain key paths.
  let row: Row
  /// The rows of variables: the elements of subqueries and of `ANY` and `ALL`.
  var variables: [String: Row] = [:]

  /// The scope with one more variable.
  func with(_ name: String, _ row: Row) -> SQLScope {
    var scope = self
    scope.variables[name] = row
    return scope
  }
}
