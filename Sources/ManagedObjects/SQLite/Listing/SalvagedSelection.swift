import DataModels
import Foundation
import PredicateFormat

/// The selected rows of a possibly damaged table that can be read.
///
/// Without a sort order, rows are delivered as they are read. Sorting first needs the keys of all readable rows.
struct SalvagedSelection {
  private let rows: StoreRows
  private let entity: SchemaEntity
  private let query: RowQuery
  private let listing: RowListing
  private let engine: SQLiteEngine
  private let shape: RowShape

  init(
    _ rows: StoreRows, of entity: SchemaEntity, query: RowQuery, listing: RowListing
  ) throws {
    (self.rows, self.entity, self.query, self.listing) = (rows, entity, query, listing)
    engine = try rows.predicateEngine()
    shape = try engine.shape(query.layout)
  }

  /// Thrown when no further rows are wanted.
  private struct Enough: Error {}

  /// Calls `body` with each row.
  func forEach(_ body: (SQLiteStatement) throws -> Void) throws {
    // Unreadable rows aren't counted.
    var skipped = 0
    var given = 0
    func window(_ row: SQLiteStatement) throws {
      guard skipped >= query.offset else { return skipped += 1 }
      try body(row)
      given += 1
      if query.limit > 0, given == query.limit { throw Enough() }
    }
    do {
      if !(try statement(query.predicate, query.sortDescriptors).isComplete) {
        try readable(nil).forEach(try sortedObjectKeys(), window)
      } else if query.sortDescriptors.isEmpty {
        let readable = try readable(query.predicate)
        try engine.evaluating(query.predicateText) { try readable.forEach(window) }
      } else {
        try readable(nil).forEach(try sortedKeys(), window)
      }
    } catch is Enough {}
  }

  private func statement(
    _ predicate: NSPredicate?, _ order: [NSSortDescriptor] = [], columns: String? = nil,
    narrowing: FetchStatement.Narrowing = .everyRow
  ) throws -> FetchStatement {
    try FetchStatement(
      RowQuery(layout: query.layout, predicate: predicate, sortDescriptors: order), shape,
      engine: engine, columns: columns ?? listing.columnList, isOrderedByKey: true,
      narrowing: narrowing)
  }

  private func readable(_ predicate: NSPredicate?) throws -> ReadableRows {
    let all = try statement(predicate)
    let one = try statement(predicate, narrowing: .key)
    return ReadableRows(
      rows: rows, entity: entity, condition: shape.entityCondition, all: all.sql, one: one.sql
    ) { row, key in
      if let key { try one.bind(to: row, key: key) } else { try all.bind(to: row) }
    }
  }

  // MARK: In order

  private func sortedKeys() throws -> [Int64] {
    var keys: [Int64] = []
    let readable = try readable(query.predicate)
    try engine.evaluating(query.predicateText) {
      try readable.forEach { keys.append($0.integer(at: 0)) }
    }
    let sorted = try statement(
      nil, query.sortDescriptors, columns: "t0.Z_PK", narrowing: .keys(keys))
    var result: [Int64] = []
    do {
      try engine.evaluating(query.predicateText) {
        try rows.connection.withStatement(sorted.sql) { row in
          try sorted.bind(to: row)
          while try row.step() { result.append(row.integer(at: 0)) }
        }
      }
    } catch let error as SQLiteError where error.isDamage {
      rows.note("\(entity.name): the rows can't be sorted: \(error.message)")
      return keys
    }
    return result
  }

  /// The keys for a condition or sort order that SQL can't express. This requires objects, which can't be fetched
  /// from a damaged table.
  private func sortedObjectKeys() throws -> [Int64] {
    var all = query
    (all.limit, all.offset) = (0, 0)
    do {
      return try rows.keys(of: all, entity)
    } catch {
      rows.note(
        "\(entity.name): the condition can't be evaluated: \((error as NSError).localizedDescription)"
      )
      return []
    }
  }
}
