import Foundation

/// Writes the changes of one history transaction.
final class HistoryRows {
  /// The kind of change, as in `ZCHANGETYPE`.
  enum ChangeType: Int64 { case insert, update, delete }

  /// The number of the parameter for the first tombstone.
  static let firstTombstone: Int32 = 8

  /// The transaction's key.
  let transaction: Int64
  private var key: Int64
  private let row: SQLiteStatement
  private let connection: SQLiteConnection

  init(
    _ connection: SQLiteConnection, transaction: Int64, firstKey: Int64, tombstones: Int
  ) throws {
    self.connection = connection
    self.transaction = transaction
    key = firstKey
    let list =
      ["Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
      + (0..<tombstones).map { "ZTOMBSTONE\($0)" }
    row = try connection.borrow(
      "INSERT INTO ACHANGE (\(list.joined(separator: ", "))) VALUES "
        + "(\(list.map { _ in "?" }.joined(separator: ", ")))")
  }

  /// Writes one change; `bindMore` binds the tombstones.
  func write(
    _ type: ChangeType, entity: Int, key object: Int64, columns: [UInt8]? = nil,
    bindMore: (SQLiteStatement) throws -> Void = { _ in }
  ) throws {
    row.clearBindings()
    try row.bind(key, at: 1)
    try row.bind(Int64(HistorySchema.changeNumber), at: 2)
    try row.bind(type.rawValue, at: 3)
    try row.bind(Int64(entity), at: 4)
    try row.bind(object, at: 5)
    try row.bind(transaction, at: 6)
    if let columns { try row.bind(Data(columns), at: 7) }
    try bindMore(row)
    try row.run()
    key += 1
  }

  /// Returns the statement to the connection.
  func end() { connection.recycle(row) }
}
