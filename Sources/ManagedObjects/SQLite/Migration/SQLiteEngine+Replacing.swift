import Foundation

/// Replacing stores.
extension SQLiteEngine {
  static func replace(
    at url: URL, withStoreAt source: URL, options: [AnyHashable: Any]?
  ) throws {
    try checkFile(source, NSPersistentStoreOperationError)
    try checkFile(url, NSPersistentStoreOperationError)
    let (theirs, ours) = (ExternalData(store: source), ExternalData(store: url))
    do {
      let from = try SQLiteConnection.reading(source)
      _ = try from.readMetadata()
      let timeout =
        (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240
      let to = try SQLiteConnection(writing: url, creation: .ifMissing, timeout: timeout)
      let (coming, present) = (try theirs.names(), try ours.names())
      // Copy the files first: a row must never refer to a missing file.
      for name in coming.sorted() { try ours.take(name, of: theirs) }
      _ = try to.replaceContents(with: from)
      RetiredFiles.remove(
        present.subtracting(coming).map { ours.folder.appendingPathComponent($0) }, of: ours.folder)
    } catch let error as SQLiteError {
      throw error.cocoaError(NSPersistentStoreOperationError)
    }
  }
}
