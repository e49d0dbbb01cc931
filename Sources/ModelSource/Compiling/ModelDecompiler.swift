import DataModels
import Foundation

/// Creates the source of models that were compiled, or created in code.
///
/// ```swift
/// let model = try NSManagedObjectModel(loading: "Shop.mom")
/// let output = ModelDecompiler.decompile([("Shop", model)], name: "Shop", isVersioned: false)
/// try output.write(to: "Shop.xcdatamodel")
/// ```
public enum ModelDecompiler {
  /// The result of a decompilation.
  public struct Output: Sendable {
    /// The name of the folder, such as `Shop.xcdatamodeld`.
    public var name: String
    /// The files, named by their paths within the folder.
    public var files: [CompiledFiles.File]
    /// A sentence for each aspect that a source can't express, prefixed with the version's name.
    public var losses: [String]
  }

  /// Creates a source from models.
  ///
  /// - Parameters:
  ///   - models: The versions, with their names.
  ///   - name: The model's name.
  ///   - isVersioned: Whether to create an `.xcdatamodeld` with versions; otherwise the first model becomes a single
  ///     `.xcdatamodel`.
  ///   - currentVersionName: The current version, if it is known.
  public static func decompile(
    _ models: [(name: String, model: NSManagedObjectModel)], name: String, isVersioned: Bool,
    currentVersionName: String? = nil
  ) -> Output {
    var files: [CompiledFiles.File] = []
    var losses: [String] = []
    for (version, model) in isVersioned ? models[...] : models.prefix(1) {
      let writer = SourceWriter(model)
      files.append(
        CompiledFiles.File(
          name: isVersioned ? "\(version).xcdatamodel/contents" : "contents",
          bytes: Array(writer.data)))
      losses += writer.losses.map { isVersioned ? "\(version): \($0)" : $0 }
    }
    if isVersioned, let currentVersionName {
      files.append(
        CompiledFiles.File(
          name: ModelPackage.currentVersionFileName,
          bytes: Array(
            ModelPackage.currentVersionFile(currentVersionName: currentVersionName).utf8)))
    }
    return Output(
      name: name + (isVersioned ? ".xcdatamodeld" : ".xcdatamodel"), files: files, losses: losses)
  }
}

extension ModelDecompiler.Output {
  /// Writes the source atomically.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - replaces: Whether an existing source is replaced.
  /// - Throws: `ModelFileError` when it can't be written; an existing source is then unchanged.
  public func write(to path: String, replacing replaces: Bool = false) throws {
    try AtomicFolder.write(files, to: path, replacing: replaces ? .source : .nothing)
  }
}
