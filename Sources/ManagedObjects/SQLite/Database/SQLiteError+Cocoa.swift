import Foundation

extension SQLiteError {
  /// The error under Core Data's codes, with SQLite's own beside it.
  ///
  /// - Parameter code: the code for failures that have no finer one.
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
      [NSSQLiteErrorDomain: NSNumber(value: extendedCode), NSFilePathErrorKey: path])
  }
}

/// Cocoa's numbers for files, which Foundation has as `CocoaError` codes only.
private let NSFileReadCorruptFileError = CocoaError.Code.fileReadCorruptFile.rawValue
private let NSFileWriteOutOfSpaceError = CocoaError.Code.fileWriteOutOfSpace.rawValue
