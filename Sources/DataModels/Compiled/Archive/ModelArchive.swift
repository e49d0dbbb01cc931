import PropertyLists

/// The archive that holds a model: a `.mom` file, or what a store keeps of the model it was made
/// with.
///
/// ```swift
/// let model = try ModelArchive.decode(FileBytes.read("Model.mom"))
/// let bytes = try ModelArchive.encode(model)
/// ```
public enum ModelArchive {
  /// Makes a model of its archive, of any of momc's vintages.
  ///
  /// - Parameters:
  ///   - bytes: The archive, binary or XML.
  ///   - limits: What to refuse as too large or too deep.
  /// - Throws: `ArchiveError` that names the object and key at fault.
  public static func decode(
    _ bytes: [UInt8], limits: ArchiveLimits = .default
  ) throws(ArchiveError) -> NSManagedObjectModel {
    try decode(KeyedArchive(bytes, limits: limits))
  }

  /// Makes a model of an archive that is open already.
  ///
  /// - Throws: `ArchiveError` that names the object and key at fault.
  public static func decode(
    _ archive: KeyedArchive
  ) throws(ArchiveError) -> NSManagedObjectModel {
    try archive.list.withScanner { scanner throws(ArchiveError) in
      try ModelDecoder(archive, scanner).decode()
    }
  }

  /// Archives a model, to the byte as momc writes it: that of the vintage the model was read from, else
  /// the newest.
  ///
  /// - Parameters:
  ///   - model: A model whose entities and properties have names, each one its own.
  ///   - options: What can be chosen.
  /// - Throws: `ArchiveError` when something in the model cannot be archived: a name that is
  ///   missing or taken, a block, an object of the program.
  public static func encode(
    _ model: NSManagedObjectModel, options: ModelArchiveOptions = ModelArchiveOptions()
  ) throws(ArchiveError) -> [UInt8] {
    try ModelEncoder(model, options: options).encode()
  }
}
