import PropertyLists

/// The optimised form of a compiled model (`.omo`): a memory image in which everything is referenced by number.
///
/// Opening an image reads all its records and checks every number in them; the model is then created without accessing
/// the bytes again. The image, and therefore the model, lacks the old compound indexes, the properties that requests
/// fetch and group by, and the compiler stamp.
struct OptimizedModel {
  /// The first bytes of every generation of the format.
  static let magic = Array("momv2$".utf8)

  let header: OptimizedHeader
  let tables: OptimizedTables
  let properties: [OptimizedProperty]
  let entities: [OptimizedEntity]
  let requests: [OptimizedRequest]
  let summary: OptimizedSummary

  /// Reads the records.
  ///
  /// - Throws: ``ModelFileError`` with the location of the damage.
  init(_ bytes: [UInt8]) throws(ModelFileError) {
    header = try OptimizedHeader(bytes)
    tables = try OptimizedTables(bytes, header)
    properties = try OptimizedProperty.all(bytes, header)
    entities = try OptimizedEntity.all(in: bytes, header: header, properties: properties)
    requests = try OptimizedRequest.all(bytes, header)
    summary = try OptimizedSummary(bytes, header)
  }

  /// Creates a model from an image.
  ///
  /// - Throws: ``ModelFileError`` with the location of the damage.
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

/// The part of an image that describes the model as a whole.
struct OptimizedSummary {
  /// The numbers of the requests that are templates.
  let templates: [Int]
  /// The configurations, including the default one.
  let configurations: [(name: Int, entities: [Int])]
  /// The data of the archived version identifiers.
  let versionIdentifiers: [Int]

  init(_ bytes: [UInt8], _ header: OptimizedHeader) throws(ModelFileError) {
    var cursor = OptimizedCursor(bytes, at: header.model)
    _ = try cursor.word()  // Flags of the model at run time.
    _ = try cursor.word()  // The number of entities.
    let templateCount = try cursor.word()
    var templates: [Int] = []
    for _ in 0..<templateCount { templates.append(try cursor.long()) }
    var configurations: [(name: Int, entities: [Int])] = []
    for _ in 0..<(try cursor.word()) {
      let name = try cursor.word()
      configurations.append((name, try cursor.array()))
    }
    self.templates = templates
    self.configurations = configurations
    versionIdentifiers = try cursor.array()
  }
}
