import KeyedArchive
import ManagedModel

/// The optimised form of a compiled model (`.omo`): a memory image, with everything by number.
///
/// Opening one reads all its records and checks every number in them; the model is then made
/// without a further look at the bytes. What the image leaves out the model lacks: the old
/// compound indexes, what requests fetch and group by, and the compiler's stamp.
struct OptimizedModel {
  /// How every generation of the format begins.
  static let magic = Array("momv2$".utf8)

  let header: OptimizedHeader
  let tables: OptimizedTables
  let properties: [OptimizedProperty]
  let entities: [OptimizedEntity]
  let requests: [OptimizedRequest]
  let summary: OptimizedSummary

  /// Reads the records.
  ///
  /// - Throws: ``ModelFileError`` that says where the image is damaged.
  init(_ bytes: [UInt8]) throws(ModelFileError) {
    header = try OptimizedHeader(bytes)
    tables = try OptimizedTables(bytes, header)
    properties = try OptimizedProperty.all(bytes, header)
    entities = try OptimizedEntity.all(bytes, header, properties)
    requests = try OptimizedRequest.all(bytes, header)
    summary = try OptimizedSummary(bytes, header)
  }

  /// Makes a model of an image.
  ///
  /// - Throws: ``ModelFileError`` that says where the image is damaged.
  static func decode(
    _ bytes: [UInt8], limits: ArchiveLimits
  ) throws(ModelFileError) -> NSManagedObjectModel {
    guard bytes.count <= limits.byteCount else {
      throw ModelFileError(
        .limitExceeded, "the file is larger than the limit of \(limits.byteCount) bytes")
    }
    var builder = OptimizedModelBuilder(try OptimizedModel(bytes), limits: limits)
    return try builder.build()
  }
}
