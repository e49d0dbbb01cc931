import DataModels

/// An expression of SQL, with the type that its values have.
struct SQLOperand {
  /// What the values are, as predicates compare them.
  enum ValueType: Hashable {
    case integer, real, decimal, boolean, date, text, uuid, url
    /// The key of a row of the hierarchy with this number.
    case object(root: Int)
    /// The number of an entity.
    case entity

    /// Whether values are numbers, which are compared whatever their width.
    var isNumeric: Bool {
      switch self {
      case .integer, .real, .decimal, .boolean: true
      default: false
      }
    }

    /// Whether SQL computes with the values: dates are numbers too, of seconds.
    var isComputed: Bool { isNumeric || self == .date }

    /// Whether SQLite orders the values as predicates do.
    var isOrdered: Bool { isNumeric || self == .date || self == .text || self == .uuid }

    /// Whether values of the other type can be equal to ones of this type.
    func isComparable(with other: ValueType) -> Bool {
      self == other || isComputed && other.isComputed
    }

    /// Whether values mean something outside their row: keys don't.
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

/// What names in a predicate stand for, in one place of a statement.
struct SQLScope {
  /// A row of a statement's `FROM`.
  struct Row {
    let alias: String
    let entity: SchemaEntity
  }

  /// What `SELF` and bare key paths are about.
  let row: Row
  /// What variables stand for: the elements of subqueries and of `ANY` and `ALL`.
  var variables: [String: Row] = [:]

  /// The scope with one more variable.
  func with(_ name: String, _ row: Row) -> SQLScope {
    var scope = self
    scope.variables[name] = row
    return scope
  }
}
