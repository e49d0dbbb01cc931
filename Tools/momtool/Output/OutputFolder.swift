import Foundation
import PropertyLists

/// A folder that a command writes files into.
enum OutputFolder {
  /// Makes a folder, and those around it, where they aren't there.
  ///
  /// - Throws: ``Diagnostic`` that names it and says why it can't be.
  static func make(_ path: String) throws {
    guard path != "-" else {
      throw Diagnostic("standard output is one file, and these may be several: name a folder")
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else {
        throw Diagnostic("a folder is wanted for the output, and this is a file", path: path)
      }
      return
    }
    // Foundation's errors don't say why.
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part + "/"
      // A read-only place says so of what is there as well.
      guard mkdir(made, 0o777) != 0, access(made, F_OK) != 0 else { continue }
      throw Diagnostic("can't make the folder: \(reason(of: made))", path: path)
    }
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { throw Diagnostic("can't make the folder: Not a directory", path: path) }
  }

  /// Why a folder can't be made.
  private static func reason(of path: String) -> String {
    if mkdir(path, 0o777) == 0 { return "" }
    return errno == EEXIST ? "'\(path.dropLast())' is a file" : String(cString: strerror(errno))
  }
}
