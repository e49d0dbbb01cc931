import Foundation
@_spi(Engines) import MomKit
import PredicateFormat

/// The SQL of a fetch.
struct FetchStatement {
  private(set) var statement: PostgreSQLConnection.Statement
  /// Whether the SQL covers the whole request. If not, the context filters, sorts and limits the rows.
  let isComplete: Bool
  /// The statement that deletes the rows, or nil if it takes more than a condition on them to select them.
  private(set) var deletion: PostgreSQLConnection.Statement?

  /// - Parameters:
  ///   - columns: the expressions to select, or nil for the shape's columns.
  ///   - usesPredicate: whether to translate the predicate; otherwise all of the entity's rows match.
  init(
    _ query: RowQuery, _ shape: RowShape, _ tables: StoreTables, _ store: StoreReference,
    columns: String? = nil, isCount: Bool = false, usesPredicate: Bool = true
  ) {
    let compiler = PredicateSQL(tables, store, shape.table)
    var conditions = [shape.condition].compactMap { $0 }
    var order: [String] = []
    var isComplete = true
    if let predicate = query.predicate {
      if usesPredicate, let condition = compiler.condition(predicate.tree) {
        conditions.append(condition)
        isComplete = compiler.isExact
      } else {
        isComplete = false
      }
    }
    if !isCount, isComplete {
      for descriptor in query.sortDescriptors {
        guard usesPredicate, let term = compiler.orderTerm(descriptor) else {
          isComplete = false
          break
        }
        order.append(term)
      }
      if !isComplete { order = [] }
    }
    self.isComplete = isComplete
    let isCut = query.limit > 0 || query.offset > 0
    let hasWindow = isComplete && isCut
    // Makes the window deterministic: the same rows for every caller, also if the context cuts it out.
    if !isCount, isCut || !order.isEmpty { order.append("t0.\(SQL.key)") }
    let from = compiler.from(compiler.scope.row)
    let condition =
      conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    if isComplete, !hasWindow, from == "\(shape.table.name) t0" {
      deletion = PostgreSQLConnection.Statement(
        "DELETE FROM \(from)\(condition)", compiler.parameters)
    }
    var sql = "SELECT \(columns ?? shape.columns) FROM \(from)\(condition)"
    if !order.isEmpty { sql += " ORDER BY \(order.joined(separator: ", "))" }
    if hasWindow {
      if query.limit > 0 { sql += " LIMIT \(compiler.bind(.int8(Int64(query.limit))))" }
      if query.offset > 0 { sql += " OFFSET \(compiler.bind(.int8(Int64(query.offset))))" }
    }
    if isCount { sql = "SELECT count(*) FROM (\(sql)) c" }
    statement = PostgreSQLConnection.Statement(sql, compiler.parameters)
  }
}
