import PropertyLists

/// The archive of a model: a `.mom` file, or the copy of its model that a store keeps.
///
/// ```swift
/// let model = try ModelArchive.decode(FileBytes.read("Model.mom"))
/// let bytes = try ModelArchive.encode(model)
/// ```
public enum ModelArchive {
  /// Decodes a model from its archive, of any compiler vintage.
  ///
  /// - Parameters:
  ///   - bytes: The archive, binary or XML.
  ///   - limits: The limits above which an archive is refused.
  /// - Throws: `ArchiveError` naming the object and key at fault.
  public static func decode(
    _ bytes: [UInt8], limits: ArchiveLimits = .default
  ) throws(ArchiveError) -> NSManagedObjectModel {
    try decode(KeyedArchive(bytes, limits: limits))
  }

  /// Decodes a model from an archive that is already open.
  ///
  /// - Throws: `ArchiveError` naming the object and key at fault.
  public static func decode(
    _ archive: KeyedArchive
  ) throws(ArchiveError) -> NSManagedObjectModel {
    try archive.list.withScanner { scanner throws(ArchiveError) in
      try ModelDecoder(archive, scanner).decode()
    }
  }

  /// Archives a model, byte for byte as momc does: in the vintage of the file the model was read from, or else in the
  /// newest.
  ///
  /// - Parameters:
  ///   - model: A model whose entities and properties have unique, nonempty names.
  ///   - options: Options for the archive.
  /// - Throws: `ArchiveError` when the model can't be archived: a name is missing or duplicated, or the model contains
  ///   a block or an object of the program.
  public static func encode(
    _ model: NSManagedObjectModel, options: ModelArchiveOptions = ModelArchiveOptions()
  ) throws(ArchiveError) -> [UInt8] {
    try ModelEncoder(model, options: options).encode()
  }
}
