import CompiledModel

/// Writes a folder of files whole, or not at all.
enum FolderOutput {
  /// Writes files by their paths in the folder, in place of the folder that is there, if one is.
  ///
  /// - Throws: ``Diagnostic`` that names the folder; a file, a device or a pipe of that name is never
  ///   replaced.
  static func write(_ files: [String: [UInt8]], to path: String) throws {
    do {
      try AtomicFolder.write(
        files.sorted { $0.key < $1.key }.map { AtomicFolder.File(name: $0.key, bytes: $0.value) },
        to: path, replacing: { _ in true })
    } catch {
      throw Diagnostic("can't write it: \(error.message)", path: path)
    }
  }
}
