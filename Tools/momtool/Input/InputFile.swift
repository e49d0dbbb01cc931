import PropertyLists

/// Reads and writes files for commands.
enum InputFile {
  /// The argument that represents standard input.
  static let standardInput = "-"

  /// The bytes of a file, or of standard input.
  ///
  /// - Throws: `PropertyListError` when they can't be read.
  static func bytes(at path: String) throws -> [UInt8] {
    path == standardInput ? try FileBytes.readStandardInput() : try FileBytes.read(path)
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
