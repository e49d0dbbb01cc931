/// The files that a compilation makes: one `.mom`, or those of a `.momd`.
public struct CompiledFiles: Sendable {
  /// A file and its bytes.
  public struct File: Sendable, Hashable {
    /// The file's name.
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
}
