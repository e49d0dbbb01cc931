import PropertyLists

/// The files of a compiled model: one `.mom`, or those of a `.momd`.
public struct CompiledFiles: Sendable {
  /// A file and its contents.
  public struct File: Sendable, Hashable {
    /// The file's name, which may be a relative path within a folder.
    public var name: String
    /// The file's bytes.
    public var bytes: [UInt8]

    /// Creates a file.
    public init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  /// The name of the file or the folder.
  public var name: String
  /// Whether the files belong in a folder of that name.
  public var isFolder: Bool
  /// The files.
  public var files: [File]

  /// Creates the files of a folder, or a single file.
  public init(name: String, isFolder: Bool, files: [File]) {
    self.name = name
    self.isFolder = isFolder
    self.files = files
  }

  /// Writes the files, completely or not at all.
  ///
  /// - Parameter path: The file or folder. An existing folder is replaced if it contains nothing but a compiled model.
  /// - Throws: ``ModelFileError`` when they can't be written; existing files are then unchanged.
  public func write(to path: String) throws(ModelFileError) {
    guard isFolder else {
      for file in files {
        do {
          try AtomicFile.write(file.bytes, to: path)
        } catch {
          throw ModelFileError(writing: error, path: path)
        }
      }
      return
    }
    try AtomicFolder.write(files, to: path, replacing: .compiledModel)
  }
}
