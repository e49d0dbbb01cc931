import DataModels
import Foundation

/// The rows of a table; of a damaged one, if requested, those that can be read.
struct ReadableRows {
  let rows: StoreRows
  let entity: SchemaEntity
  /// The condition for rows of the entity; nil for all rows of the table.
  let condition: String?
  /// Selects the rows, ordered by key, which is the first column.
  let all: String
  /// Selects the row with a key.
  let one: String
  /// Binds the parameters of either statement, including the key for the second.
  var bind: (SQLiteStatement, Int64?) throws -> Void = { row, key in
    if let key { try row.bind(key, at: 1) }
  }

  /// Calls `body` with each row: in order up to the damage, then one by one for the keys that can be determined.
  func forEach(_ body: (SQLiteStatement) throws -> Void) throws {
    var last: Int64?
    do {
      try rows.connection.withStatement(all) { row in
        try bind(row, nil)
        while try row.step() {
          last = row.integer(at: 0)
          try body(row)
        }
      }
    } catch let error as SQLiteError where rows.keepsGoing && error.isDamage {
      rows.note("\(entity.name): after the row \(last ?? 0): \(error.message)")
      var losses = Losses()
      try forEachKey(after: last ?? .min) { key in
        try losses.counting { try read(key, body) }
      }
      losses.note(of: entity, in: rows)
    }
  }

  /// Calls `body` with the rows of some keys, in the order of the keys.
  func forEach(_ keys: [Int64], _ body: (SQLiteStatement) throws -> Void) throws {
    var losses = Losses()
    for key in keys { try losses.counting { try read(key, body) } }
    losses.note(of: entity, in: rows)
  }

  private func read(_ key: Int64, _ body: (SQLiteStatement) throws -> Void) throws {
    try rows.connection.withStatement(one) { row in
      try bind(row, key)
      if try row.step() { try body(row) }
    }
  }

  /// Calls `body` with the keys that can be read from a damaged table: up to the damage, then backwards from the end.
  private func forEachKey(after first: Int64, _ body: (Int64) throws -> Void) throws {
    var last = first
    let sql =
      "SELECT t0.Z_PK FROM \(entity.table) t0 NOT INDEXED WHERE "
      + (condition.map { "\($0) AND " } ?? "") + "t0.Z_PK > ?1 ORDER BY t0.Z_PK"
    func walk(_ sql: String, _ visit: (Int64) throws -> Void) throws {
      try rows.connection.withStatement(sql) { row in
        try row.bind(last, at: 1)
        while try row.step() { try visit(row.integer(at: 0)) }
      }
    }
    do {
      try walk(sql) { key in
        last = key
        try body(key)
      }
      return
    } catch let error as SQLiteError where error.isDamage {}
    do {
      try walk(sql + " DESC", body)
    } catch let error as SQLiteError where error.isDamage {
      rows.note("\(entity.name): rows in the middle can't be read: \(error.message)")
    }
  }

  /// Rows whose keys are known but which can't be read.
  private struct Losses {
    private var count = 0
    private var reason = ""

    /// Processes a row that may be damaged.
    mutating func counting(_ body: () throws -> Void) throws {
      do {
        try body()
      } catch let error as SQLiteError where error.isDamage {
        count += 1
        reason = error.message
      }
    }

    func note(of entity: SchemaEntity, in rows: StoreRows) {
      guard count > 0 else { return }
      rows.note(
        "\(entity.name): \(count) row\(count == 1 ? "" : "s") can't be read: \(reason)")
    }
  }
}

extension SQLiteError {
  /// Whether the file is damaged at the position read.
  var isDamage: Bool { code == .corrupt || code == .inputOutput || code == .notADatabase }
}
