import CSQLite
import Foundation

/// A SQLite error: its code and message, and the statement it occurred in.
///
/// ```swift
/// do { try connection.execute("INSERT INTO t VALUES (1)") }
/// catch let error as SQLiteError where error.code == .constraint { … }
/// ```
struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// A primary result code of SQLite.
  struct Code: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32
    init(rawValue: Int32) { self.rawValue = rawValue }

    static let busy = Code(rawValue: SQLITE_BUSY)
    static let locked = Code(rawValue: SQLITE_LOCKED)
    static let interrupted = Code(rawValue: SQLITE_INTERRUPT)
    static let inputOutput = Code(rawValue: SQLITE_IOERR)
    static let corrupt = Code(rawValue: SQLITE_CORRUPT)
    static let full = Code(rawValue: SQLITE_FULL)
    static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
    static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
    static let notADatabase = Code(rawValue: SQLITE_NOTADB)
  }

  /// The extended code of a violated uniqueness constraint.
  static let uniqueViolation: Int32 = 2067
  /// The extended code for a row whose key another row has.
  static let keyViolation: Int32 = 1555

  /// The primary result code.
  var code: Code
  /// The extended result code; equal to the primary one if SQLite provides none.
  var extendedCode: Int32
  /// SQLite's own message.
  var message: String
  /// The statement that was being prepared or executed, if any.
  var sql: String?
  /// The database file.
  var path: String

  init(resultCode: Int32, message: String, sql: String? = nil, path: String) {
    code = Code(rawValue: resultCode & 0xFF)
    extendedCode = resultCode
    self.message = message
    self.sql = sql
    self.path = path
  }

  var description: String {
    var text = "\(path): SQLite error \(extendedCode): \(message)"
    if let sql { text += ", in: \(sql)" }
    return text
  }
}

extension SQLiteError {
  /// The error as a Cocoa error with a Core Data code, and SQLite's own code in its `userInfo`.
  ///
  /// - Parameter code: the code for failures without a more specific one.
  func cocoaError(_ code: Int) -> NSError {
    let fine =
      switch self.code {
      case .notADatabase: NSFileReadCorruptFileError
      case .corrupt: NSFileReadCorruptFileError
      case .full: NSFileWriteOutOfSpaceError
      case .busy, .locked: NSPersistentStoreTimeoutError
      default: code
      }
    return CoreDataError.make(
      fine, description,
      userInfo: [NSSQLiteErrorDomain: NSNumber(value: extendedCode), NSFilePathErrorKey: path])
  }
}

/// Cocoa's codes for file errors, which Foundation only declares as `CocoaError` codes.
private let NSFileReadCorruptFileError = CocoaError.Code.fileReadCorruptFile.rawValue
private let NSFileWriteOutOfSpaceError = CocoaError.Code.fileWriteOutOfSpace.rawValue
