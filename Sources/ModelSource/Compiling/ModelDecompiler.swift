import DataModels
import Foundation

/// Makes the source of models that were compiled, or made in code.
///
/// ```swift
/// let model = try NSManagedObjectModel(loading: "Shop.mom")
/// let output = ModelDecompiler.decompile([("Shop", model)], name: "Shop", isVersioned: false)
/// try output.write(to: "Shop.xcdatamodel")
/// ```
public enum ModelDecompiler {
  /// A source made of models.
  public struct Output: Sendable {
    /// The name of the folder, such as `Shop.xcdatamodeld`.
    public var name: String
    /// The files, by their paths inside the folder.
    public var files: [CompiledFiles.File]
    /// A sentence for each thing that a source can't express, by the version's name.
    public var losses: [String]
  }

  /// Makes a source.
  ///
  /// - Parameters:
  ///   - models: The versions, each with its name.
  ///   - name: The model's name.
  ///   - isVersioned: Whether to make an `.xcdatamodeld` of versions; otherwise the first model
  ///     becomes a lone `.xcdatamodel`.
  ///   - currentVersionName: The current version, when it is known.
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
          bytes: Array(writer.xml.utf8)))
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
  /// Writes the source, whole or not at all.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - replaces: Whether a source that is there is replaced.
  /// - Throws: `ModelFileError` when it can't be written; what was there is then as it was.
  public func write(to path: String, replacing replaces: Bool = false) throws {
    try AtomicFolder.write(files, to: path, replacing: replaces ? .source : .nothing)
  }
}
