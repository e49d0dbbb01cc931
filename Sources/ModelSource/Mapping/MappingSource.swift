import Foundation

/// What an `.xcmappingmodel` declares: the file in which Xcode keeps a mapping between two versions of
/// a model.
///
/// Inside is `xcmapping.xml`, a store of Core Data's XML kind with the objects of Xcode's editor:
///
/// ```swift
/// let source = try MappingSource(contentsOf: URL(fileURLWithPath: "Shop2to3.xcmappingmodel"))
/// print(source.sourceModel.path ?? "", source.entityMappings.map(\.sourceEntityName))
/// ```
public struct MappingSource: Sendable, Hashable {
  /// One of the two models that a mapping is between.
  public struct Model: Sendable, Hashable {
    /// Where Xcode found it: a path from the project's folder, to a version inside its bundle.
    public var path: String?
    /// The copy of it that Xcode put into the mapping, in the old form of `elements`.
    public var copy: Data?
  }

  /// Where a destination property's value comes from.
  public struct Property: Sendable, Hashable {
    /// The property of the destination.
    public var name: String
    /// The expression that was written for it, archived.
    public var valueExpression: Data?
    /// For a relationship: the expression that gives the source objects, such as `$source.items`.
    public var sourceKeyPath: String?
    /// For a relationship: the mapping by which the source objects became destination objects.
    public var sourceMappingName: String?
    /// Whether the compiler makes an expression when none was written.
    public var generatesExpression: Bool
    /// Where it is declared.
    public var location: SourceLocation?
  }

  /// How the objects of one entity become those of another.
  public struct Entity: Sendable, Hashable {
    /// The mapping's name, when it was given one.
    public var name: String?
    /// Its place among the mappings.
    public var number: Int
    /// What it does, in Xcode's word; `Undefined` when the compiler is to find out.
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
    /// Where it is declared.
    public var location: SourceLocation?
  }

  /// The path that diagnostics name.
  public let path: String
  /// The model that stores are migrated from.
  public let sourceModel: Model
  /// The model that stores are migrated to.
  public let destinationModel: Model
  /// The mappings, in their order.
  public let entityMappings: [Entity]
  /// What is odd about the file.
  public let diagnostics: [SourceDiagnostic]

  /// The name of the file inside an `.xcmappingmodel`.
  public static let fileName = "xcmapping.xml"

  /// Reads an `.xcmappingmodel`, or the `xcmapping.xml` in it.
  ///
  /// - Parameters:
  ///   - url: The folder or the file.
  ///   - path: The path that diagnostics name; by default that of `url`.
  ///   - limits: How large the document may be.
  /// - Throws: ``ModelSourceError`` with everything that is wrong.
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
    let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    guard size <= limits.documentBytes else {
      throw ModelSourceError(
        .xml, path: path,
        "the file has \(size) bytes; more than \(limits.documentBytes) are refused")
    }
    do {
      try self.init(data: Data(contentsOf: url), path: path, limits: limits)
    } catch let error as ModelSourceError {
      throw error
    } catch {
      throw ModelSourceError(.document, path: path, "the file can't be read: \(error)")
    }
  }

  /// Reads the bytes of an `xcmapping.xml`.
  ///
  /// - Throws: ``ModelSourceError`` with everything that is wrong.
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

  /// The file with spaces in place of its document type, which names Apple's DTD and declares nothing.
  ///
  /// One that declares anything itself is left to be refused.
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
