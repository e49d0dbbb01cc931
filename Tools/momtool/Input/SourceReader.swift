import DataModels
import Foundation
import ModelSource
import Synchronization

/// Reads models from their sources for commands that examine models without judging them: compiler errors are reported
/// as warnings, and a version that can't be read doesn't affect the others.
struct SourceReader {
  private let package: ModelPackage

  /// - Parameter package: The source's files, read tolerantly.
  init(_ package: ModelPackage) {
    self.package = package
  }

  /// Reads the selected versions; a single model has only one, regardless of the selection.
  ///
  /// - Parameter leavingOut: Called for each version that can't be read; if nil, that is an error.
  /// - Throws: The errors in a version, if `leavingOut` is nil, or if none can be read.
  func models(
    _ selection: ModelFile.Selection, leavingOut: ((ModelSourceError) -> Void)?
  ) throws -> [LoadedModel] {
    let versions = try chosen(selection)
    let problems = package.diagnostics.filter { $0.severity == .error }
    if versions.count > 1, !problems.isEmpty {
      let problem = ModelSourceError(diagnostics: problems)
      guard let leavingOut else { throw problem }
      leavingOut(problem)
    }
    var models: [LoadedModel] = []
    var refusals: [ModelSourceError] = []
    for (version, result) in zip(versions, Self.readings(of: versions)) {
      switch result {
      case .success(let reading):
        Self.report(reading.refused, version.path)
        models.append(
          LoadedModel(
            path: version.path, version: package.isVersioned ? version.name : nil,
            model: reading.model))
      case .failure(let error as ModelSourceError): refusals.append(error)
      case .failure(let error): throw error
      }
    }
    if let first = refusals.first {
      guard let leavingOut, !models.isEmpty else { throw first }
      refusals.forEach(leavingOut)
    }
    return models
  }

  /// The most findings reported per version; a compiler reports all.
  private static let mostFindings = 3

  /// Reads a version, or else the current one, with its source.
  func source(ofVersion name: String?) throws -> SourceModel {
    guard let version = try chosen(name.map { .named($0) } ?? .current).first else {
      throw ModelFileError(
        noCurrentVersionAmong: package.versions.map(\.name), path: package.url.relativePath)
    }
    return try Self.source(of: version)
  }

  /// Parses a source that isn't in a file.
  static func model(of data: Data, path: String) throws -> NSManagedObjectModel {
    var options = SourceReadingOptions()
    options.isTolerant = true
    let source = try SourceModel(data: data, path: path, options: options)
    report(refused(in: source), path)
    return source.model
  }

  /// A model and what a compiler would refuse in its source.
  private struct Reading {
    let model: NSManagedObjectModel
    let refused: [SourceDiagnostic]
  }

  /// Reads versions concurrently. The sources themselves are released there too, which takes a tenth of the time.
  private static func readings(
    of versions: [ModelPackage.Version]
  ) -> [Result<Reading, any Error>] {
    let results = Mutex<[Int: Result<Reading, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: versions.count) { index in
      let result = Result {
        let source = try read(versions[index])
        return Reading(model: source.model, refused: refused(in: source))
      }
      results.withLock { $0[index] = result }
    }
    return results.withLock { results in versions.indices.compactMap { results[$0] } }
  }

  private static func read(_ version: ModelPackage.Version) throws -> SourceModel {
    var options = SourceReadingOptions()
    options.isTolerant = true
    return try SourceModel(version: version, options: options)
  }

  /// Reads one version, and reports its compiler errors.
  private static func source(of version: ModelPackage.Version) throws -> SourceModel {
    let source = try read(version)
    report(refused(in: source), version.path)
    return source
  }

  /// The findings already reported, since versions have much in common.
  private static let told = Mutex<Set<String>>([])

  /// Returns compiler errors, and values that are replaced by others, since the output then differs from the source.
  private static func refused(in source: SourceModel) -> [SourceDiagnostic] {
    source.diagnostics.filter { finding in
      finding.severity == .error || [.invalidDefault, .invalidValue].contains(finding.rule)
    }
  }

  /// Reports what a compiler would refuse.
  private static func report(_ all: [SourceDiagnostic], _ path: String) {
    let refused = all.filter { finding in
      finding.severity == .error || told.withLock { $0.insert(finding.message).inserted }
    }
    for finding in refused.prefix(mostFindings) { Diagnostics.report(finding.asWarning) }
    if refused.count > mostFindings {
      Diagnostics.report(
        Diagnostic(
          warning:
            "\(refused.count - mostFindings) more of this kind; momtool lint lists all of them",
          path: path))
    }
  }

  private func chosen(_ selection: ModelFile.Selection) throws -> [ModelPackage.Version] {
    switch selection {
    case .named(let name) where package.isVersioned:
      guard let version = package.versions.first(where: { $0.name == name }) else {
        throw ModelFileError(
          noVersion: name, among: package.versions.map(\.name), path: package.url.relativePath)
      }
      return [version]
    case .current where package.isVersioned:
      guard let currentVersion = package.currentVersion else {
        let problems = package.diagnostics.filter { $0.severity == .error }
        if !problems.isEmpty { throw ModelSourceError(diagnostics: problems) }
        throw ModelFileError(
          noCurrentVersionAmong: package.versions.map(\.name), path: package.url.relativePath)
      }
      return [currentVersion]
    default: return package.versions
    }
  }
}

extension SourceDiagnostic {
  /// The finding as a warning.
  var asWarning: SourceDiagnostic {
    var warning = self
    warning.severity = .warning
    return warning
  }
}
