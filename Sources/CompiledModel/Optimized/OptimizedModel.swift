import KeyedArchive
import ManagedModel

/// The optimised form of a compiled model (`.omo`).
enum OptimizedModel {
  /// How every generation of the format begins.
  static let magic = Array("momv2$".utf8)

  static func decode(
    _ bytes: [UInt8], limits: ArchiveLimits
  ) throws(ModelFileError) -> NSManagedObjectModel {
    throw ModelFileError(.unknownKind, "an optimised model, which can't be read yet")
  }
}
