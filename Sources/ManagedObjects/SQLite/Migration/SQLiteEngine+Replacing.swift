import Foundation
import PropertyLists

/// Replacing stores.
extension SQLiteEngine {
  static func replace(
    at url: URL, withStoreAt source: URL, options: [AnyHashable: Any]?
  ) throws {
    try checkFile(source, NSPersistentStoreOperationError)
    try checkFile(url, NSPersistentStoreOperationError)
    let theirs = ExternalData(store: source)
    // Until the files are copied, none of those that the rows name is removed by this process.
    let reader = RetiredFiles.Reader(of: theirs.folder)
    defer { withExtendedLifetime(reader) {} }
    do {
      // Before a file is made for what can't be read.
      let timeout = timeout(options)
      _ = try SQLiteConnection.reading(source, timeout: timeout).readMetadata()
      let to = try SQLiteConnection(writing: url, creation: .ifMissing, timeout: timeout)
      // Before the file is there, a link to it leads nowhere.
      let ours = ExternalData(store: url)
      let present = try ours.names()
      let coming = try SQLiteConnection.following(source, waits: true, timeout: timeout) { from in
        // Copy the files first: a row must never refer to a missing file.
        let coming = try RetiredFiles.retrying { () -> Set<String> in
          // The rows as they are before the files are listed: a later one might name a later file.
          if from.isInTransaction { try from.execute("COMMIT") }
          try from.execute("BEGIN")
          _ = try from.readMetadata()
          let coming = try theirs.names()
          for name in coming.sorted() { try ours.take(name, of: theirs) }
          return coming
        }
        try replaceContents(of: to, with: from, at: url)
        return coming
      }
      RetiredFiles.remove(
        present.subtracting(coming).map { ours.folder.appendingPathComponent($0) }, of: ours.folder)
    } catch let error as SQLiteError {
      throw error.cocoaError(NSPersistentStoreOperationError)
    }
  }

  private static func replaceContents(
    of target: SQLiteConnection, with source: SQLiteConnection, at url: URL
  ) throws {
    guard try target.refusesPages(of: source) else {
      _ = try target.replaceContents(with: source)
      return
    }
    let folder: TemporaryFolder
    do { folder = try TemporaryFolder(beside: url) } catch let error as PropertyListError {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "\(error.message)",
        userInfo: [NSFilePathErrorKey: url.path])
    }
    try withExtendedLifetime(folder) {
      let copy = try source.copy(
        at: folder.url.appendingPathComponent(url.lastPathComponent), withPagesAs: target)
      _ = try target.replaceContents(with: copy)
    }
  }
}
