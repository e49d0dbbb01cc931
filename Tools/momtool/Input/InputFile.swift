import Foundation
import PropertyLists

/// Reads and writes files for commands.
enum InputFile {
  /// The argument that represents standard input.
  static let standardInput = "-"

  /// The bytes of a file, or of standard input.
  ///
  /// - Parameter takesPipes: whether a pipe such as `<(curl …)` is read, which waits for its writer.
  /// - Throws: `PropertyListError` when they can't be read.
  static func bytes(at path: String, takesPipes: Bool = false) throws -> [UInt8] {
    if path == standardInput { return try FileBytes.readStandardInput() }
    var status = stat()
    let isPipe = takesPipes && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    return try isPipe ? FileBytes.readPipe(path) : FileBytes.read(path)
  }

  /// Writes a file atomically.
  ///
  /// - Throws: ``Diagnostic`` naming the file.
  static func write(_ bytes: [UInt8], to path: String) throws {
    do {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw Diagnostic(error.message, path: path)
    }
  }
}
