import BinaryPlist
import CompiledModel
import ModelSource

extension CompiledFiles {
  /// The files that a folder of a compiled model may hold, which may be replaced.
  private static let replaceable = [".mom", ".omo", "VersionInfo.plist"]

  /// Writes the files, whole or not at all.
  ///
  /// - Parameter path: The file, or the folder; a folder that is there is replaced when it holds
  ///   nothing but a compiled model.
  /// - Throws: `ModelFileError` when they can't be written; what was there is then as it was.
  public func write(to path: String) throws {
    guard isFolder else {
      for file in files { try Self.write(file.bytes, to: path) }
      return
    }
    try AtomicFolder.write(
      files.map { AtomicFolder.File(name: $0.name, bytes: $0.bytes) }, to: path
    ) { names in
      names.allSatisfy { name in Self.replaceable.contains { name.hasSuffix($0) } }
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    do {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw ModelFileError(writing: error, path: path)
    }
  }
}

extension ModelDecompiler.Output {
  /// Writes the source, whole or not at all.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - replaces: Whether a source that is there is replaced.
  /// - Throws: `ModelFileError` when it can't be written; what was there is then as it was.
  public func write(to path: String, replacing replaces: Bool = false) throws {
    try AtomicFolder.write(
      files.map { AtomicFolder.File(name: $0.name, bytes: $0.bytes) }, to: path
    ) { names in
      replaces
        && names.allSatisfy { name in
          name.hasSuffix(".xcdatamodel") || ["contents", "layout", "elements"].contains(name)
            || name == ModelPackage.currentVersionFileName
        }
    }
  }
}
