import DataModels
import Foundation

/// Tells which row a statement has updated because its unique values were present.
///
/// `RETURNING` would tell it, too, but SQLite opens a table in memory for it each time that the statement runs.
final class PresentRow {
  static let function = "MomKitPresentRow"

  private var row: (key: Int64, entity: Int)?

  /// Registers the function on a connection, which retains the object. It takes a key and an entity number, and adds
  /// nothing to a version.
  func register(on connection: SQLiteConnection) throws(SQLiteError) {
    try connection.register(Self.function, arguments: 2) { arguments in
      self.row = (arguments[0].integer, Int(truncatingIfNeeded: arguments[1].integer))
      return .integer(0)
    }
  }

  func forget() { row = nil }

  /// Returns the row that was noted, once.
  func take() -> (key: Int64, entity: Int)? {
    defer { row = nil }
    return row
  }
}

/// The statement of a batch that inserts a row, or updates the one that has its unique values already.
///
/// It is used where it can't do anything else than an insertion and, if that fails, an update would: for one constraint
/// with its index, in a table without triggers, and for values that are all in the table.
struct UpsertStatement {
  /// The slots that a row gives values for.
  let given: [Int]
  /// The slots that are replaced in the present row.
  let replaced: [Int]
  let statement: SQLiteStatement

  /// - Returns: nil if SQLite doesn't know an index of exactly the constraint's columns.
  init?(
    _ row: BatchInsertion.Row, replacing slots: [RowWriter.Slot], unique: [RowWriter.Slot],
    writer: RowWriter, on connection: SQLiteConnection
  ) {
    let entity = writer.entity
    // Columns, not slots: a composite attribute has others besides that of a unique element.
    let same = Set(unique.filter(\.isEqualOnlyToItself).flatMap(\.columns))
    let assignments = slots.flatMap(\.columns).filter { !same.contains($0) }
      .map { "\($0) = excluded.\($0), " }.joined()
    let sql =
      "\(writer.insertSQL) ON CONFLICT (\(unique.flatMap(\.columns).joined(separator: ", "))) DO UPDATE SET "
      + "\(assignments)Z_OPT = ifnull(Z_OPT, 0) + 1 + \(PresentRow.function)(Z_PK, Z_ENT)"
      + (entity.hasOwnTable
        ? "" : " WHERE Z_ENT BETWEEN \(entity.number) AND \(entity.lastNumber)")
    guard let statement = try? connection.borrow(sql) else { return nil }
    self.statement = statement
    given = row.given
    replaced = slots.map(\.index)
  }
}

extension RowWriter.Slot {
  /// Whether values that are equal in an index are the same value, so that one needn't be written over the other.
  fileprivate var isEqualOnlyToItself: Bool {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .booleanAttributeType, .stringAttributeType:
      true
    default: false
    }
  }
}

extension SQLiteConnection {
  /// Whether a table has triggers.
  func hasTriggers(on table: String) throws -> Bool {
    try withStatement(
      "SELECT 1 FROM (SELECT type, tbl_name FROM sqlite_master UNION ALL "
        + "SELECT type, tbl_name FROM sqlite_temp_master) "
        + "WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE"
    ) { row in
      try row.bind(table, at: 1)
      return try row.step()
    }
  }
}
