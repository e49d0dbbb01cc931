import Foundation
import PropertyLists

/// Creates folders for output files.
enum OutputFolder {
  /// Creates a folder and its parents, unless they exist.
  ///
  /// - Throws: ``Diagnostic`` naming the folder and the reason.
  static func make(_ path: String) throws {
    guard path != "-" else {
      throw Diagnostic("several files can't be written to standard output: give a folder")
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else {
        throw Diagnostic("the output must be a folder, but this is a file", path: path)
      }
      return
    }
    // Foundation's errors omit the reason.
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part + "/"
      // A read-only file system reports an error even for existing folders.
      guard mkdir(made, 0o777) != 0, access(made, F_OK) != 0 else { continue }
      throw Diagnostic("can't create the folder: \(reason(of: made))", path: path)
    }
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { throw Diagnostic("can't create the folder: Not a directory", path: path) }
  }

  /// The reason why a folder can't be created.
  private static func reason(of path: String) -> String {
    if mkdir(path, 0o777) == 0 { return "" }
    return errno == EEXIST ? "'\(path.dropLast())' is a file" : String(cString: strerror(errno))
  }
}
