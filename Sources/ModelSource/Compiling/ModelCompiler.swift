import DataModels
import Foundation
import PropertyLists

/// Compiles a model's source as Xcode's `momc` does, with identical bytes.
///
/// ```swift
/// let compiler = try ModelCompiler(source: URL(fileURLWithPath: "Shop.xcdatamodeld"))
/// let output = try compiler.compile()
/// try output.write(to: "build/Shop.momd")
/// for warning in output.diagnostics { print(warning) }
/// ```
public struct ModelCompiler: Sendable {
  /// The result of a compilation.
  public struct Output: Sendable {
    /// The files.
    public var files: CompiledFiles
    /// The warnings.
    public var diagnostics: [SourceDiagnostic]
  }

  /// The source.
  public let package: ModelPackage
  /// The compiler options.
  public var options: ModelCompilerOptions

  /// Creates a compiler for a source.
  ///
  /// - Parameters:
  ///   - url: An `.xcdatamodeld`, an `.xcdatamodel`, or a `contents` file.
  ///   - path: The path used in diagnostics. Default: that of `url`.
  ///   - options: The compiler options.
  /// - Throws: `ModelSourceError` when there is no source.
  public init(
    source url: URL, path: String? = nil,
    options: ModelCompilerOptions = ModelCompilerOptions()
  ) throws {
    package = try ModelPackage(at: url, path: path)
    self.options = options
  }

  /// The name of the output: `Shop.momd` for a bundle of versions, `Shop.mom` for a single one.
  public var outputName: String {
    package.name + (package.isVersioned ? ".momd" : ".mom")
  }

  /// Compiles all versions.
  ///
  /// - Throws: `ModelSourceError` with all errors found in any of them.
  public func compile() throws -> Output {
    var diagnostics = package.diagnostics
    var models: [(name: String, model: NSManagedObjectModel)] = []
    for version in package.versions {
      do {
        let source = try SourceModel(version: version, options: options.reading)
        diagnostics += source.diagnostics
        models.append((version.name, source.model))
      } catch let error as ModelSourceError {
        diagnostics += error.diagnostics
      }
    }
    guard models.count == package.versions.count else {
      throw ModelSourceError(diagnostics: diagnostics)
    }
    for (name, model) in models {
      diagnostics += options.vintage.dropAsOlderCompilersDid(
        from: model, named: name, in: package)
    }
    return Output(files: try files(of: models), diagnostics: diagnostics)
  }

  private func files(
    of models: [(name: String, model: NSManagedObjectModel)]
  ) throws -> CompiledFiles {
    let archiving = ModelArchiveOptions(
      stamp: options.stamp.map { .stamp($0) } ?? .omitted, vintage: .vintage(options.vintage))
    let files =
      package.isVersioned
      ? try ModelBundle.files(
        of: models.map { ModelBundle.NewVersion(name: $0.name, model: $0.model) },
        currentVersionName: package.currentVersionName, path: outputName, options: archiving)
      : try models.map {
        CompiledFiles.File(
          name: outputName, bytes: try ModelArchive.encode($0.model, options: archiving))
      }
    return CompiledFiles(name: outputName, isFolder: package.isVersioned, files: files)
  }
}

extension ModelCompiler.Output {
  /// Writes the files atomically. An existing folder is replaced if it is a compiled model.
  ///
  /// - Parameter path: The file or folder.
  /// - Throws: `ModelFileError` when they can't be written.
  public func write(to path: String) throws {
    try files.write(to: path)
  }
}
