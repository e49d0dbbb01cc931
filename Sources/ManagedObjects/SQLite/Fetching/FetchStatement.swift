import Foundation
import PredicateFormat

/// The SQL of a fetch.
struct FetchStatement {
  private(set) var sql: String
  /// Whether the SQL does all that was asked for; if not it gives all rows of the entity.
  let isComplete: Bool
  private var parameters: [SQLValue] = []

  init(
    _ query: RowQuery, _ shape: RowShape, engine: SQLiteEngine, columns: String? = nil,
    isCount: Bool = false, isOrderedByKey: Bool = false
  ) throws {
    engine.evaluator.trim()
    let entity = try engine.entity(query.layout)
    let compiler = PredicateSQL(engine: engine, entity: entity)
    var conditions = [shape.entityCondition].compactMap { $0 }
    var order: [String] = []
    var isComplete = true
    if let predicate = query.predicate {
      if let condition = compiler.condition(predicate.tree) {
        conditions.append(condition)
      } else {
        isComplete = false
      }
    }
    if !isCount {
      for descriptor in query.sortDescriptors {
        guard let term = compiler.orderTerm(descriptor) else {
          isComplete = false
          break
        }
        order.append(term)
      }
    }
    if isOrderedByKey { order.append("t0.Z_PK") }
    self.isComplete = isComplete
    if !isComplete {
      conditions = [shape.entityCondition].compactMap { $0 }
      order = []
    } else {
      parameters = compiler.parameters
    }
    sql = columns.map { "SELECT \($0) FROM \(entity.table) t0" } ?? shape.select
    if !conditions.isEmpty { sql += " WHERE \(conditions.joined(separator: " AND "))" }
    if !order.isEmpty { sql += " ORDER BY \(order.joined(separator: ", "))" }
    if isComplete, query.limit > 0 || query.offset > 0 {
      sql += " LIMIT ? OFFSET ?"
      parameters.append(.integer(query.limit > 0 ? Int64(query.limit) : -1))
      parameters.append(.integer(Int64(query.offset)))
    }
    if isCount { sql = "SELECT count(*) FROM (\(sql))" }
  }

  func bind(to statement: SQLiteStatement) throws {
    for (index, parameter) in parameters.enumerated() {
      try parameter.bind(to: statement, at: Int32(index + 1))
    }
  }
}
