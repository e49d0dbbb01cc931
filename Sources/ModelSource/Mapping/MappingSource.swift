import Foundation

/// The content of an `.xcmappingmodel`, in which Xcode stores a mapping between two versions of a model.
///
/// It contains `xcmapping.xml`, a Core Data XML store with the objects of Xcode's editor:
///
/// ```swift
/// let source = try MappingSource(contentsOf: URL(fileURLWithPath: "Shop2to3.xcmappingmodel"))
/// print(source.sourceModel.path ?? "", source.entityMappings.map(\.sourceEntityName))
/// ```
public struct MappingSource: Sendable, Hashable {
  /// One of the two models of a mapping.
  public struct Model: Sendable, Hashable {
    /// The path where Xcode found it: from the project's folder to a version inside its bundle.
    public var path: String?
    /// The copy that Xcode stored in the mapping, in the old `elements` format.
    public var copy: Data?
  }

  /// The mapping of a destination property.
  public struct Property: Sendable, Hashable {
    /// The destination property.
    public var name: String
    /// The archived expression, if one was specified.
    public var valueExpression: Data?
    /// For a relationship: the expression that yields the source objects, such as `$source.items`.
    public var sourceKeyPath: String?
    /// For a relationship: the mapping by which the source objects were converted to destination objects.
    public var sourceMappingName: String?
    /// Whether the compiler generates an expression if none was specified.
    public var generatesExpression: Bool
    /// The location of the declaration.
    public var location: SourceLocation?
  }

  /// The mapping from one entity to another.
  public struct Entity: Sendable, Hashable {
    /// The mapping's name, if one was specified.
    public var name: String?
    /// Its position among the mappings.
    public var number: Int
    /// The mapping type in Xcode's terms; `Undefined` if the compiler is to determine it.
    public var typeName: String?
    /// The entity of the source model; nil for an added entity.
    public var sourceEntityName: String?
    /// The entity of the destination model; nil for a removed entity.
    public var destinationEntityName: String?
    /// The class of the migration policy.
    public var policyClassName: String?
    /// A predicate for the source objects.
    public var filterPredicate: String?
    /// The attributes of the destination.
    public var attributes: [Property]
    /// The relationships of the destination.
    public var relationships: [Property]
    /// The location of the declaration.
    public var location: SourceLocation?
  }

  /// The path used in diagnostics.
  public let path: String
  /// The model that stores are migrated from.
  public let sourceModel: Model
  /// The model that stores are migrated to.
  public let destinationModel: Model
  /// The mappings, in order.
  public let entityMappings: [Entity]
  /// Warnings about the file.
  public let diagnostics: [SourceDiagnostic]

  /// The name of the file inside an `.xcmappingmodel`.
  public static let fileName = "xcmapping.xml"

  /// Reads an `.xcmappingmodel`, or the `xcmapping.xml` in it.
  ///
  /// - Parameters:
  ///   - url: The folder or the file.
  ///   - path: The path used in diagnostics. Default: that of `url`.
  ///   - limits: The limits on the document's size.
  /// - Throws: ``ModelSourceError`` with all errors.
  public init(
    contentsOf url: URL, path: String? = nil, limits: SourceLimits = .default
  ) throws {
    var (url, path) = (url, path ?? url.relativePath)
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
      throw ModelSourceError(.document, path: path, "there is no such file")
    }
    if isDirectory.boolValue {
      url.appendPathComponent(Self.fileName)
      path += "/\(Self.fileName)"
    }
    let bytes = try limits.bytes(of: url, path: path)
    try self.init(data: Data(bytes), path: path, limits: limits)
  }

  /// Parses the contents of an `xcmapping.xml`.
  ///
  /// - Throws: ``ModelSourceError`` with all errors.
  public init(data: Data, path: String = MappingSource.fileName, limits: SourceLimits = .default)
    throws
  {
    let document = try SourceDocument(
      data: Self.withoutDocumentType(data), path: path, limits: limits)
    var reader = MappingReader(document)
    let declared = try reader.read()
    self.path = path
    sourceModel = declared.source
    destinationModel = declared.destination
    entityMappings = declared.entities
    diagnostics = reader.log.sorted
  }

  /// The file with its document type, which names Apple's DTD and declares nothing, replaced by spaces.
  ///
  /// A document type with declarations of its own is kept, and rejected later.
  private static func withoutDocumentType(_ data: Data) -> Data {
    guard let start = data.prefix(4096).range(of: Data("<!DOCTYPE".utf8)),
      let end = data[start.upperBound...].prefix(4096).firstIndex(of: UInt8(ascii: ">")),
      !data[start.lowerBound..<end].contains(UInt8(ascii: "["))
    else { return data }
    var result = data
    for index in start.lowerBound...end where result[index] != UInt8(ascii: "\n") {
      result[index] = UInt8(ascii: " ")
    }
    return result
  }
}
