import DataModels
import Foundation

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
}
