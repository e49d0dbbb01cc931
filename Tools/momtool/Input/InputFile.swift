import PropertyLists

/// Files as commands read and write them.
enum InputFile {
  /// The name that stands for standard input.
  static let standardInput = "-"

  /// The bytes of a file, or of standard input.
  ///
  /// - Throws: `PropertyListError` when they can't be read.
  static func bytes(at path: String) throws -> [UInt8] {
    path == standardInput ? try FileBytes.readStandardInput() : try FileBytes.read(path)
  }

  /// Writes a file whole, or not at all.
  ///
  /// - Throws: ``Diagnostic`` that names the file.
  static func write(_ bytes: [UInt8], to path: String) throws {
    do {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw Diagnostic(error.message, path: path)
    }
  }
}
