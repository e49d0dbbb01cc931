import DataModels
import Foundation
import ModelEvolution
import ModelSource

/// Two states of a bundle, read for comparison.
///
/// Versions whose files are identical aren't read: a single empty model represents both, so that there are no
/// differences. A version that can't be read is therefore not a problem as long as it hasn't changed.
struct BundleComparison {
  /// The old state.
  let old: ModelHistory
  /// The new state.
  let new: ModelHistory
  /// Errors that prevented a changed version from being read, on either side.
  private(set) var refusals: [SourceDiagnostic] = []
  /// New errors of the bundle itself, such as a missing current version.
  let newProblems: [String]

  /// Reads both states.
  ///
  /// - Parameters:
  ///   - old: The input for the old state.
  ///   - new: The input for the new state.
  /// - Throws: Any error in reading the inputs.
  init(old: String, new: String) throws {
    let inputs = (old: try ModelInput(old), new: try ModelInput(new))
    let equal = try withExtendedLifetime(inputs) {
      try Self.equalVersions(inputs.old.package, inputs.new.package)
    }
    let before = Set((inputs.old.package?.diagnostics ?? []).map(\.message))
    newProblems = (inputs.new.package?.diagnostics ?? [])
      .filter { $0.severity == .error && !before.contains($0.message) }.map(\.message)
    let untouched = NSManagedObjectModel()
    var refusals: [SourceDiagnostic] = []
    // A model without versions has one name, wherever it is read from.
    let name = URL(fileURLWithPath: inputs.new.location.path).deletingPathExtension()
      .lastPathComponent
    func history(_ input: ModelInput) throws -> ModelHistory {
      let equalHere = equal.map { (name: $0, model: untouched) }
      let names = try input.versionNames().filter { !equal.contains($0) }
      let read =
        try equal.isEmpty
        ? input.read(.all) { refusals += $0.diagnostics }
        : names.flatMap { name in
          do {
            return try input.read(.named(name))
          } catch let error as ModelSourceError {
            refusals += error.diagnostics
            return []
          }
        }
      return ModelHistory(
        equalHere
          + read.map { (name: $0.version ?? name, model: $0.model) },
        currentVersionName: try input.currentVersionName())
    }
    self.old = try history(inputs.old)
    self.new = try history(inputs.new)
    self.refusals = refusals
  }

  /// The names of the versions whose files are identical in both packages.
  private static func equalVersions(
    _ old: ModelPackage?, _ new: ModelPackage?
  ) throws -> Set<String> {
    guard let old, let new, old.isVersioned, new.isVersioned else { return [] }
    let others = Dictionary(
      new.versions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return Set(
      old.versions.filter { version in
        guard let other = others[version.name], other.isLegacy == version.isLegacy,
          let bytes = try? Data(contentsOf: version.url)
        else { return false }
        return bytes == (try? Data(contentsOf: other.url))
      }.map(\.name))
  }
}
