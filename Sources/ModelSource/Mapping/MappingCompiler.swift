import DataModels
import Foundation
import PredicateFormat

/// Compiles the source of a mapping model: an `.xcmappingmodel` to the `.cdm` that Core Data reads.
///
/// ```swift
/// let compiler = try MappingCompiler(source: URL(fileURLWithPath: "Shop2to3.xcmappingmodel"))
/// let output = try compiler.compile()
/// try output.files.write(to: "build/Shop2to3.cdm")
/// ```
///
/// A mapping is between two versions of a model, whose entities' hashes it records. They are looked
/// for where the mapping says, from its own folder upwards; where they aren't found, the copies that
/// Xcode left in the mapping stand in, with a warning.
public struct MappingCompiler: Sendable {
  /// The source.
  public let source: MappingSource
  /// The model that stores are migrated from; nil when it is to be looked for.
  public var sourceModel: NSManagedObjectModel?
  /// The model that stores are migrated to; nil when it is to be looked for.
  public var destinationModel: NSManagedObjectModel?
  /// The vintage of the compiler whose bytes the output has.
  public var vintage = CompilerVintage.modern

  /// Where the source is; nil for one that was not read from a file.
  private let url: URL?
  private let name: String

  /// What a compilation gives.
  public struct Output: Sendable {
    /// The mapping model.
    public var mapping: NSMappingModel
    /// The file.
    public var files: CompiledFiles
    /// The warnings.
    public var diagnostics: [SourceDiagnostic]
  }

  /// Prepares to compile a source.
  ///
  /// - Parameters:
  ///   - url: An `.xcmappingmodel`, or the `xcmapping.xml` in one.
  ///   - path: The path that diagnostics name; by default that of `url`.
  /// - Throws: `ModelSourceError` when it can't be read.
  public init(source url: URL, path: String? = nil) throws {
    source = try MappingSource(contentsOf: url, path: path)
    self.url = url
    let folder =
      url.lastPathComponent == MappingSource.fileName ? url.deletingLastPathComponent() : url
    name = folder.deletingPathExtension().lastPathComponent
  }

  /// Prepares to compile a source that was read already, between two models.
  public init(
    _ source: MappingSource, from sourceModel: NSManagedObjectModel,
    to destinationModel: NSManagedObjectModel, name: String = "Mapping"
  ) {
    self.source = source
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
    self.name = name
    url = nil
  }

  /// The name of what is made: `Shop2to3.cdm`.
  public var outputName: String { name + ".cdm" }

  /// Compiles the mapping.
  ///
  /// - Throws: `ModelSourceError` with everything that is wrong with it.
  public func compile() throws -> Output {
    var locator = MappingModelLocator(mapping: url, path: source.path)
    let models = (
      source: try sourceModel ?? locator.model(source.sourceModel, role: "source"),
      destination: try destinationModel
        ?? locator.model(source.destinationModel, role: "destination")
    )
    var builder = MappingBuilder(source, from: models.source, to: models.destination)
    let mapping = builder.build()
    let diagnostics = source.diagnostics + locator.diagnostics + builder.diagnostics
    guard !diagnostics.contains(where: { $0.severity == .error }) else {
      throw ModelSourceError(diagnostics: diagnostics)
    }
    let bytes = try MappingArchive.encode(mapping, vintage: .vintage(vintage))
    let file = CompiledFiles.File(name: outputName, bytes: bytes)
    return Output(
      mapping: mapping, files: CompiledFiles(name: outputName, isFolder: false, files: [file]),
      diagnostics: diagnostics)
  }
}
