import CompiledModel
import Foundation
import ModelSource

extension ModelFile {
  /// Reads the models at the path, also where it names a source.
  ///
  /// - Throws: `ModelFileError` or `ModelSourceError`, which name the file.
  func modelsOfAnyKind(_ selection: Selection) throws -> [LoadedModel] {
    guard kind == .source else { return try models(selection) }
    let package = try ModelPackage(at: URL(fileURLWithPath: path), path: path)
    return try versions(of: package, selection).map { version in
      LoadedModel(
        path: version.path, version: package.isVersioned ? version.name : nil,
        model: try SourceModel(version: version).model)
    }
  }

  private func versions(
    of package: ModelPackage, _ selection: Selection
  ) throws -> [ModelPackage.Version] {
    switch selection {
    case .all:
      return package.versions
    case .current:
      guard let current = package.currentVersion else {
        throw ModelFileError(
          .noCurrentVersion,
          "there are \(package.versions.count) versions and none is marked as current; name one",
          path: path)
      }
      return [current]
    case .named(let name):
      guard !package.isVersioned || package.versions.contains(where: { $0.name == name }) else {
        throw ModelFileError(
          .noSuchVersion,
          "there is no version “\(name)”; there is "
            + package.versions.prefix(10).map { "“\($0.name)”" }.joined(separator: ", "),
          path: path)
      }
      return package.versions.filter { !package.isVersioned || $0.name == name }
    }
  }
}
