import DataModels
import Foundation
import ManagedObjects
import PropertyLists

/// Creates a store's file where none exists yet.
enum NewFile {
  /// Checks that a file can be created at a path.
  ///
  /// - Throws: `ModelFileError` with code `.unwritable` when one exists, or a file that SQLite would keep beside it, or
  ///   when the folder doesn't exist or isn't writable.
  static func check(_ path: String) throws {
    // A link that leads nowhere would be in the way only when the work is done.
    guard !isThere(path) else {
      throw ModelFileError(.unwritable, "the file already exists", path: path)
    }
    // Beside a new file, SQLite would take it for the log of that file, and its pages for newer ones.
    for beside in StoreFile.companions.map({ path + $0 }) where isThere(beside) {
      throw ModelFileError(
        .unwritable, "a file of another store is left beside it: \(beside)", path: path)
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(folder, W_OK | X_OK) == 0 else {
      throw ModelFileError(
        .unwritable, "it can't be created there: \(String(cString: strerror(errno)))", path: path)
    }
  }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Creates a file, and its accompanying files, in a hidden folder beside the target, and then moves them into place.
  ///
  /// - Parameter body: Creates the file, under its own name, at the given location.
  /// - Throws: The errors of ``check(_:)`` and `body`; nothing is left behind then.
  static func make<Result>(_ path: String, _ body: (URL) throws -> Result) throws -> Result {
    try check(path)
    let place = URL(fileURLWithPath: path)
    let draft: TemporaryFolder
    do {
      draft = try TemporaryFolder(beside: place)
    } catch {
      throw ModelFileError(
        .unwritable,
        "it can't be created there: \(Diagnostics.diagnostic(for: error, path: nil).message)",
        path: path)
    }
    let result: Result
    do {
      result = try body(draft.url.appendingPathComponent(place.lastPathComponent))
    } catch {
      throw named(error, path: path, draft: draft.url)
    }
    do {
      try draft.moveContents(
        last: place.lastPathComponent, companions: StoreFile.companions)
    } catch let error as PropertyListError {
      throw ModelFileError(.unwritable, error.message, path: path)
    }
    return result
  }

  /// An error whose message begins with a file in the draft's folder, such as SQLite's, with the file's own path.
  private static func named(_ error: any Error, path: String, draft: URL) -> any Error {
    guard !(error is Diagnostic), !(error is ModelFileError),
      let text = withoutDraft(Diagnostics.diagnostic(for: error, path: nil).message, draft)
    else { return error }
    return Diagnostic(text, path: path)
  }

  /// The rest of a message that begins with a file in a draft's folder; nil for any other message.
  static func withoutDraft(_ message: String, _ draft: URL) -> String? {
    guard message.hasPrefix(draft.path), let end = message.range(of: ": ") else { return nil }
    return String(message[end.upperBound...])
  }
}
