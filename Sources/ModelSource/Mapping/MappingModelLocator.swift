import DataModels
import Foundation

/// Finds the two models of a mapping.
struct MappingModelLocator {
  /// The folder of the mapping; nil if it isn't in a file.
  private let folder: URL?
  private let path: String
  private(set) var diagnostics: [SourceDiagnostic] = []

  /// - Parameters:
  ///   - mapping: The location of the mapping.
  ///   - path: Its path in diagnostics.
  init(mapping: URL?, path: String) {
    folder = mapping?.absoluteURL.deletingLastPathComponent()
    self.path = path
  }

  /// Loads one of the models.
  ///
  /// - Throws: `ModelSourceError` when it isn't found, or can't be read.
  mutating func model(
    _ declared: MappingSource.Model, role: String
  ) throws -> NSManagedObjectModel {
    if let url = declared.path.flatMap(find) {
      return try SourceModel(contentsOf: url, options: Self.options).model
    }
    let named = declared.path.map { "the \(role) model \($0)" } ?? "the \(role) model"
    guard let copy = declared.copy else {
      throw ModelSourceError(diagnostics: [
        SourceDiagnostic(
          .document, severity: .error, path: path,
          message: "\(named) is not there; name it with --\(role)-model")
      ])
    }
    diagnostics.append(
      SourceDiagnostic(
        .document, severity: .warning, path: path,
        message: "\(named) is not there; the copy inside the mapping is taken, which may be old"))
    do {
      return try SourceModel(
        legacy: copy, path: "\(path) (\(role) model)", options: Self.options
      ).model
    } catch let error as ModelSourceError {
      throw ModelSourceError(diagnostics: diagnostics + error.diagnostics)
    }
  }

  /// A mapping requires only the models' names and hashes, so whether the models compile doesn't matter here.
  private static let options: SourceReadingOptions = {
    var options = SourceReadingOptions()
    options.isTolerant = true
    return options
  }()

  /// Finds the model at a path relative to some folder above the mapping. The project may have been moved, so a bundle
  /// with the right name is accepted too.
  private func find(_ path: String) -> URL? {
    let parts = path.unicodeScalars.split(separator: "/").map { String($0) }
    guard let folder, !parts.isEmpty, !parts.contains("..") else { return nil }
    let tails = [parts, Array(parts.suffix(2))]
    for tail in tails {
      var base = folder
      while true {
        let candidate = tail.reduce(base) { $0.appendingPathComponent($1) }
        if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
        let above = base.deletingLastPathComponent()
        guard above.path != base.path, base.path != "/" else { break }
        base = above
      }
    }
    return nil
  }
}
