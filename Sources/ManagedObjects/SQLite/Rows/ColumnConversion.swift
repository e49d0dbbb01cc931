import Foundation

/// Conversion of column values whose type isn't the attribute's: SQLite stores any type in any column.
///
/// If SQLite's conversion is lossless, its result is the value, as with dates of whole seconds, which it stores as
/// integers. Everything else is an error: otherwise the next save would write back half a number, or an empty string
/// for bytes.
enum ColumnConversion {
  /// The error for a value that isn't valid for the attribute.
  struct Mismatch: Error {
    let column: Int32
    /// The name of the attribute's type.
    let wanted: String

    /// The error for reading the current row of a statement.
    func error(_ row: SQLiteStatement, entity: String) -> NSError {
      let name = row.name(at: column)
      let isKeyed = row.columnCount > 0 && row.name(at: 0) == "Z_PK"
      let key = isKeyed ? row.integer(at: 0) : nil
      let found =
        switch row.type(at: column) {
        case .integer: "an integer"
        case .real: "a real number"
        case .text: "text"
        case .blob: "bytes"
        case .null: "nothing"
        }
      var userInfo: [String: Any] = ["entity": entity, "column": name]
      userInfo["row"] = key.map { NSNumber(value: $0) }
      let place = key.map { " in the row \($0)" } ?? ""
      return CoreDataError.make(
        CocoaError.Code.fileReadCorruptFile.rawValue,
        "The column \(name) of \(entity) contains \(found)\(place) that isn't a \(wanted). "
          + "Check the store with 'momtool store check'.", userInfo: userInfo)
    }
  }

  static func integer(_ row: SQLiteStatement, _ column: Int32) throws -> Int64? {
    switch row.type(at: column) {
    case .null: return nil
    case .integer: return row.integer(at: column)
    case .real:
      if let number = Int64(exactly: row.double(at: column)) { return number }
    case .text:
      if let number = row.text(at: column).flatMap({ Int64($0) }) { return number }
    case .blob: break
    }
    throw Mismatch(column: column, wanted: "whole number")
  }

  static func double(_ row: SQLiteStatement, _ column: Int32) throws -> Double? {
    switch row.type(at: column) {
    case .null: return nil
    case .real: return row.double(at: column)
    case .integer:
      if let number = Double(exactly: row.integer(at: column)) { return number }
    case .text:
      if let number = row.text(at: column).flatMap({ Double($0) }) { return number }
    case .blob: break
    }
    throw Mismatch(column: column, wanted: "number")
  }

  /// Decimals are stored as doubles: the shortest text of a double is the intended number.
  static func decimal(_ row: SQLiteStatement, _ column: Int32) throws -> Decimal? {
    let number: Decimal?
    switch row.type(at: column) {
    case .null: return nil
    case .integer: number = Decimal(row.integer(at: column))
    case .real: number = Decimal(meantBy: row.double(at: column))
    case .text:
      // Decimal accepts any text that begins like a number.
      let text = row.text(at: column) ?? ""
      number = Double(text) == nil ? nil : Decimal(string: text)
    case .blob: number = nil
    }
    guard let number else { throw Mismatch(column: column, wanted: "decimal number") }
    return number
  }

  static func text(_ row: SQLiteStatement, _ column: Int32) throws -> String? {
    switch row.type(at: column) {
    case .null: return nil
    case .text, .integer: return row.text(at: column)
    case .real:
      if let text = row.text(at: column), Double(text) == row.double(at: column) { return text }
    case .blob:
      let text = row.blob(at: column).flatMap { String(bytes: $0, encoding: .utf8) }
      if let text { return text }
    }
    throw Mismatch(column: column, wanted: "text")
  }

  static func data(_ row: SQLiteStatement, _ column: Int32) throws -> Data? {
    switch row.type(at: column) {
    case .null: return nil
    case .blob, .text: return row.blob(at: column)
    case .integer, .real: throw Mismatch(column: column, wanted: "data")
    }
  }

  static func uuid(_ row: SQLiteStatement, _ column: Int32) throws -> UUID? {
    guard let bytes = try data(row, column) else { return nil }
    guard let uuid = UUID(bytes: bytes) else {
      throw Mismatch(column: column, wanted: "UUID of 16 bytes")
    }
    return uuid
  }

  /// An empty string is null, as `URL` rejects it.
  static func url(_ row: SQLiteStatement, _ column: Int32) throws -> URL? {
    guard let text = try text(row, column), !text.isEmpty else { return nil }
    guard let url = URL(string: text) else { throw Mismatch(column: column, wanted: "URL") }
    return url
  }
}
