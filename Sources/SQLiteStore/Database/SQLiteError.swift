import CSQLite

/// What SQLite answered instead of "done": its codes, its words, and what was being asked.
///
/// ```swift
/// do { try connection.execute("INSERT INTO t VALUES (1)") }
/// catch let error as SQLiteError where error.code == .constraint { … }
/// ```
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// A primary result code, as SQLite numbers them.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let error = Code(rawValue: SQLITE_ERROR)
    package static let busy = Code(rawValue: SQLITE_BUSY)
    package static let locked = Code(rawValue: SQLITE_LOCKED)
    package static let readOnly = Code(rawValue: SQLITE_READONLY)
    package static let interrupted = Code(rawValue: SQLITE_INTERRUPT)
    package static let inputOutput = Code(rawValue: SQLITE_IOERR)
    package static let corrupt = Code(rawValue: SQLITE_CORRUPT)
    package static let full = Code(rawValue: SQLITE_FULL)
    package static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
    package static let tooBig = Code(rawValue: SQLITE_TOOBIG)
    package static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
    package static let misuse = Code(rawValue: SQLITE_MISUSE)
    package static let notADatabase = Code(rawValue: SQLITE_NOTADB)
  }

  /// The primary result code.
  package var code: Code
  /// The extended result code; equal to the primary one where SQLite has nothing finer to say.
  package var extendedCode: Int32
  /// SQLite's own message.
  package var message: String
  /// The statement that was being prepared or stepped, if any.
  package var sql: String?
  /// The database file.
  package var path: String

  package init(resultCode: Int32, message: String, sql: String? = nil, path: String) {
    code = Code(rawValue: resultCode & 0xFF)
    extendedCode = resultCode
    self.message = message
    self.sql = sql
    self.path = path
  }

  package var description: String {
    var text = "\(path): SQLite error \(extendedCode): \(message)"
    if let sql { text += ", in: \(sql)" }
    return text
  }
}
