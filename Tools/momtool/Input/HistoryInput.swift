import DataModels
import Foundation
import ModelEvolution

/// All versions at one input, and the one that was asked for.
struct HistoryInput {
  /// The argument as the user gave it.
  let name: String
  /// All versions; one when the input is a single model.
  let history: ModelHistory
  /// The version that was named, else the current one; nil when there are several and none is
  /// current.
  let selected: ModelHistory.Version?
  /// Whether the argument named one version, or is a single model.
  let isSingle: Bool
  /// What a compiled bundle records beside its models; nil for any other input.
  let versionInfo: VersionInfo?

  /// Reads all the versions at an input.
  ///
  /// - Parameter text: a file, a bundle, `Bundle@Version`, or either in git as `git:REVISION:PATH`.
  /// - Throws: the error of what reads it.
  init(_ text: String) throws {
    let input = try ModelInput(text)
    name = text
    history = ModelHistory(
      try input.read(.all).map { (name: $0.version ?? Self.baseName($0.path), model: $0.model) },
      currentVersionName: try input.currentVersionName())
    versionInfo = try input.bundle()?.versionInfo
    isSingle = input.location.version != nil || history.versions.count == 1
    if let version = input.location.version {
      selected = try Self.version(version, of: history, name)
    } else {
      selected = history.currentVersion
    }
  }

  /// Reads what a command can't do without.
  ///
  /// - Throws: the status for trouble, after the error was reported with the input's name.
  static func required(_ text: String) throws -> HistoryInput {
    try InputReader.reported(text) { try HistoryInput(text) }
  }

  /// The version that is named, else the one that the input stands for.
  ///
  /// - Throws: `ModelFileError` when it isn't there, or there are several and none is current.
  func version(named name: String? = nil) throws -> ModelHistory.Version {
    if let name { return try Self.version(name, of: history, self.name) }
    guard let selected else {
      throw ModelFileError(
        noCurrentVersionAmong: history.versions.map(\.name), path: self.name)
    }
    return selected
  }

  /// The model that the input stands for where one is needed.
  ///
  /// - Throws: `ModelFileError` when there are several versions and none is current.
  func model() throws -> NSManagedObjectModel { try version().model }

  /// What the chosen model is called in reports.
  var title: String {
    guard let selected, !isSingle else { return name }
    return "\(name)@\(selected.name)"
  }

  private static func version(
    _ name: String, of history: ModelHistory, _ path: String
  ) throws -> ModelHistory.Version {
    guard let version = history[name] else {
      throw ModelFileError(noVersion: name, among: history.versions.map(\.name), path: path)
    }
    return version
  }

  private static func baseName(_ path: String) -> String {
    URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }
}
