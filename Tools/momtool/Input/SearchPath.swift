import Foundation

/// The folders in which the shell looks for programs, from the variable `PATH`.
enum SearchPath {
  /// The folders, in order; the usual ones if the variable isn't set.
  static var folders: [URL] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return path.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
  }

  /// The program of a name; nil if there is none.
  static func program(named name: String) -> URL? {
    folders.lazy.map { $0.appendingPathComponent(name) }.first(where: isProgram)
  }

  /// Whether there is a file that can be run.
  private static func isProgram(_ file: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
      && !isFolder.boolValue && access(file.path, X_OK) == 0
  }
}
