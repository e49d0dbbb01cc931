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
/// A mapping connects two versions of a model, and records the hashes of their entities. The versions are searched at
/// the paths in the mapping, in its own folder and the folders above it. If they aren't found, the copies that Xcode
/// stored in the mapping are used, with a warning.
public struct MappingCompiler: Sendable {
  /// The source.
  public let source: MappingSource
  /// The model that stores are migrated from; nil to search for it.
  public var sourceModel: NSManagedObjectModel?
  /// The model that stores are migrated to; nil to search for it.
  public var destinationModel: NSManagedObjectModel?
  /// The vintage of the output's bytes.
  public var vintage = CompilerVintage.modern

  /// The location of the source; nil if it was not read from a file.
  private let url: URL?
  private let name: String

  /// The result of a compilation.
  public struct Output: Sendable {
    /// The mapping model.
    public var mapping: NSMappingModel
    /// The file.
    public var files: CompiledFiles
    /// The warnings.
    public var diagnostics: [SourceDiagnostic]
  }

  /// Creates a compiler for a source.
  ///
  /// - Parameters:
  ///   - url: An `.xcmappingmodel`, or the `xcmapping.xml` in one.
  ///   - path: The path used in diagnostics. Default: that of `url`.
  /// - Throws: `ModelSourceError` when it can't be read.
  public init(source url: URL, path: String? = nil) throws {
    source = try MappingSource(contentsOf: url, path: path)
    self.url = url
    let folder =
      url.lastPathComponent == MappingSource.fileName ? url.deletingLastPathComponent() : url
    name = folder.deletingPathExtension().lastPathComponent
  }

  /// Creates a compiler for a source that has already been read, between two given models.
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

  /// The name of the output: `Shop2to3.cdm`.
  public var outputName: String { name + ".cdm" }

  /// Compiles the mapping.
  ///
  /// - Throws: `ModelSourceError` with all errors found in it.
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
