import KeyedArchive
import ManagedModel

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
  /// - Throws: ``ArchiveError`` that names the object and key at fault.
  public static func decode(
    _ bytes: [UInt8], limits: ArchiveLimits = .default
  ) throws(ArchiveError) -> NSManagedObjectModel {
    try decode(KeyedArchive(bytes, limits: limits))
  }

  /// Makes a model of an archive that is open already.
  ///
  /// - Throws: ``ArchiveError`` that names the object and key at fault.
  public static func decode(
    _ archive: KeyedArchive
  ) throws(ArchiveError) -> NSManagedObjectModel {
    try ModelDecoder(archive).decode()
  }
}
