import PropertyLists

/// The files of a compiled model: one `.mom`, or those of a `.momd`.
public struct CompiledFiles: Sendable {
  /// A file and its bytes.
  public struct File: Sendable, Hashable {
    /// The file's name; inside a folder it may have folders of its own.
    public var name: String
    /// The file's bytes.
    public var bytes: [UInt8]

    /// Makes a file.
    public init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  /// The name of the file or the folder.
  public var name: String
  /// Whether the files belong into a folder of that name.
  public var isFolder: Bool
  /// The files.
  public var files: [File]

  /// Makes the files of a folder, or a lone one.
  public init(name: String, isFolder: Bool, files: [File]) {
    self.name = name
    self.isFolder = isFolder
    self.files = files
  }

  /// Writes the files, whole or not at all.
  ///
  /// - Parameter path: The file, or the folder; a folder that is there is replaced when it holds
  ///   nothing but a compiled model.
  /// - Throws: ``ModelFileError`` when they can't be written; what was there is then as it was.
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
