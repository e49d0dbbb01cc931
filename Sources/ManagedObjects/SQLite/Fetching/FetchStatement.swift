import Foundation
import PredicateFormat

/// The SQL of a fetch.
struct FetchStatement {
  private(set) var sql: String
  /// Whether the SQL evaluates the whole query; if not, it returns all rows of the entity.
  let isComplete: Bool
  private var parameters: [SQLValue] = []
  /// The number of the parameter for the row's key; nil if there is none.
  private var keyParameter: Int32?

  /// Which rows of a damaged file are read. Narrowed statements don't use indexes, which in such a file may lead to
  /// unreadable rows and past readable ones.
  enum Narrowing {
    /// All rows, in the table's order.
    case everyRow
    /// The row whose key is bound.
    case key
    /// The rows with these keys.
    case keys([Int64])
  }

  /// - Parameter narrowing: a restriction of the rows, for damaged files; nil for all rows, with any query plan.
  init(
    _ query: RowQuery, _ shape: RowShape, engine: SQLiteEngine, columns: String? = nil,
    isCount: Bool = false, isOrderedByKey: Bool = false, narrowing: Narrowing? = nil
  ) throws {
    engine.evaluator.trim()
    let entity = try engine.entity(query.layout)
    let compiler = PredicateSQL(engine: engine, entity: entity)
    var conditions = [shape.entityCondition].compactMap { $0 }
    var order: [String] = []
    let terms = Self.terms(of: query, compiler, isCount: isCount)
    isComplete = terms != nil
    if let terms {
      conditions += terms.conditions
      order = terms.order
      if isOrderedByKey { order.append("t0.Z_PK") }
      switch narrowing {
      case nil, .everyRow: break
      case .key:
        conditions.append("t0.Z_PK = \(compiler.bind(.integer(0)))")
        keyParameter = Int32(compiler.parameters.count)
      case .keys(let keys):
        let list = "[\(keys.map(String.init).joined(separator: ","))]"
        conditions.append(
          "t0.Z_PK IN (SELECT value FROM json_each(\(compiler.bind(.text(list)))))")
      }
      parameters = compiler.parameters
    }
    sql = columns.map { "SELECT \($0) FROM \(entity.table) t0" } ?? shape.select
    if narrowing != nil { sql += " NOT INDEXED" }
    if !conditions.isEmpty { sql += " WHERE \(conditions.joined(separator: " AND "))" }
    if !order.isEmpty { sql += " ORDER BY \(order.joined(separator: ", "))" }
    if isComplete, query.limit > 0 || query.offset > 0 {
      sql += " LIMIT ? OFFSET ?"
      parameters.append(.integer(query.limit > 0 ? Int64(query.limit) : -1))
      parameters.append(.integer(Int64(query.offset)))
    }
    if isCount { sql = "SELECT count(*) FROM (\(sql))" }
  }

  /// The query's predicate and sort descriptors as SQL; nil if SQL can't express all of them.
  private static func terms(
    of query: RowQuery, _ compiler: PredicateSQL, isCount: Bool
  ) -> (conditions: [String], order: [String])? {
    var conditions: [String] = []
    if let predicate = query.predicate {
      guard let condition = compiler.condition(predicate.tree) else { return nil }
      conditions.append(condition)
    }
    // The number of rows doesn't depend on their order.
    guard !isCount else { return (conditions, []) }
    var order: [String] = []
    for descriptor in query.sortDescriptors {
      guard let term = compiler.orderTerm(descriptor) else { return nil }
      order.append(term)
    }
    return (conditions, order)
  }

  /// Binds the parameters.
  ///
  /// - Parameter key: the row's key, if the statement selects a single row.
  func bind(to statement: SQLiteStatement, key: Int64? = nil) throws {
    for (index, parameter) in parameters.enumerated() {
      try parameter.bind(to: statement, at: Int32(index + 1))
    }
    if let key, let keyParameter { try statement.bind(key, at: keyParameter) }
  }
}
