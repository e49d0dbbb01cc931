import DataModels
import Foundation

/// The rows of a table, or of a damaged one, where that is wanted, those of them that can be read.
struct ReadableRows {
  let rows: StoreRows
  let entity: SchemaEntity
  /// Which rows of the table are the entity's; nil for all.
  let condition: String?
  /// Selects the rows in the order of their keys, which are the first column.
  let all: String
  /// Selects the row of a key.
  let one: String
  /// Gives the values of either statement, of the second with the key.
  var bind: (SQLiteStatement, Int64?) throws -> Void = { row, key in
    if let key { try row.bind(key, at: 1) }
  }

  /// Hands each row to `body`: in order, up to the damage, and then one by one those whose keys can be told.
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

  /// Hands the rows of keys to `body`, in the order of the keys.
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

  /// Hands the keys that a damaged table tells to `body`: up to the damage, and then from the end down to it.
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

  /// Rows whose keys are known, and which can't be read.
  private struct Losses {
    private var count = 0
    private var reason = ""

    /// Does something with a row, which may be damaged.
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
  /// Whether the file is damaged where it was read.
  var isDamage: Bool { code == .corrupt || code == .inputOutput || code == .notADatabase }
}
