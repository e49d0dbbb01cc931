import Foundation

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
