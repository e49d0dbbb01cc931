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
      for name in coming.subtracting(present).sorted() {
        try FileManager.default.createDirectory(
          at: ours.folder, withIntermediateDirectories: true)
        try copy(name, from: theirs.folder, to: ours.folder)
      }
      _ = try to.replaceContents(with: from)
      RetiredFiles.remove(
        present.subtracting(coming).map { ours.folder.appendingPathComponent($0) }, of: ours.folder)
    } catch let error as SQLiteError {
      throw error.cocoaError(NSPersistentStoreOperationError)
    }
  }

  /// Copies an external file whole or not at all: once it has its name, the next attempt takes it for the same.
  private static func copy(_ name: String, from source: URL, to folder: URL) throws {
    let draft = folder.appendingPathComponent(".\(name).copy")
    try? FileManager.default.removeItem(at: draft)
    do {
      try FileManager.default.copyItem(at: source.appendingPathComponent(name), to: draft)
      try FileManager.default.moveItem(at: draft, to: folder.appendingPathComponent(name))
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw error
    }
  }
}
