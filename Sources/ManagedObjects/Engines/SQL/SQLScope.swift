import PredicateFormat

/// A row of a statement's `FROM` clause.
@_spi(Engines) public protocol SQLRow {
  /// The name of the row in the statement.
  var alias: String { get }
}

/// The bindings of names in a predicate at one place in a statement.
@_spi(Engines) public struct SQLScope<Row: SQLRow> {
  /// The row of `SELF` and of plain key paths.
  public let row: Row
  /// The rows of variables: the elements of subqueries and of `ANY` and `ALL`.
  public private(set) var variables: [String: Row] = [:]

  /// Creates the scope of a statement over a row.
  public init(row: Row) { self.row = row }

  /// The scope with one more variable.
  func with(_ name: String, _ row: Row) -> SQLScope {
    var scope = self
    scope.variables[name] = row
    return scope
  }

  /// The row that an expression represents.
  func row(of tree: ExpressionTree) -> Row? {
    switch tree {
    case .evaluatedObject: row
    case .variable(let name): variables[name]
    default: nil
    }
  }
}

/// The rows of a collection: of a to-many relationship, or of a subquery.
@_spi(Engines) public struct SQLRows<Row: SQLRow> {
  /// Any row of the collection.
  public let row: Row
  /// The conditions that a row meets if it belongs to the collection; at least one.
  var conditions: [String]
  /// The rest of the key path, starting from each object.
  public let rest: [String]
  /// Whether duplicates are counted separately; in sets they count once.
  let keepsDuplicates: Bool

  /// Creates a collection from the condition that its rows meet.
  public init(row: Row, condition: String, rest: [String], keepsDuplicates: Bool) {
    self.init(row: row, conditions: [condition], rest: rest, keepsDuplicates: keepsDuplicates)
  }

  init(row: Row, conditions: [String], rest: [String], keepsDuplicates: Bool) {
    self.row = row
    self.conditions = conditions
    self.rest = rest
    self.keepsDuplicates = keepsDuplicates
  }

  /// The rows that meet one more condition.
  func meeting(_ condition: String) -> SQLRows {
    var rows = self
    rows.conditions.append(condition)
    return rows
  }
}
