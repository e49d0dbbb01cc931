import DataModels
import Foundation
import PropertyLists

/// A file that a command is to make, at a place where none is.
enum NewFile {
  /// Looks whether a file can be made at a path.
  ///
  /// - Throws: `ModelFileError` with `.unwritable` when one is there already, or the folder isn't there or can't be
  ///   written.
  static func check(_ path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw ModelFileError(.unwritable, "there is a file already", path: path)
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(folder, W_OK | X_OK) == 0 else {
      throw ModelFileError(
        .unwritable, "it can't be made there: \(String(cString: strerror(errno)))", path: path)
    }
  }

  /// Makes a file, and what goes with it, in a hidden folder beside its place, and then puts it there.
  ///
  /// - Parameter body: makes the file at the place that it is given, under its own name.
  /// - Throws: what ``check(_:)`` and `body` throw; then there is nothing.
  static func make<Result>(_ path: String, _ body: (URL) throws -> Result) throws -> Result {
    try check(path)
    let place = URL(fileURLWithPath: path)
    let draft: TemporaryFolder
    do {
      draft = try TemporaryFolder(beside: place)
    } catch {
      throw ModelFileError(
        .unwritable, "it can't be made there: \(Diagnostics.sentence(error as NSError))",
        path: path)
    }
    let result = try body(draft.url.appendingPathComponent(place.lastPathComponent))
    do {
      try draft.moveContents(last: place.lastPathComponent)
    } catch let error as PropertyListError {
      throw ModelFileError(.unwritable, error.message, path: path)
    }
    return result
  }
}
