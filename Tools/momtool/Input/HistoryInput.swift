import DataModels
import Foundation
import ModelEvolution

/// Versions at one input, and the one that was asked for.
struct HistoryInput {
  /// The argument as the user gave it.
  let name: String
  /// The versions that were read: all, or the one that was asked for.
  let history: ModelHistory
  /// The version that was named, else the current one; nil when there are several and none is
  /// current.
  let selected: ModelHistory.Version?
  /// Whether the argument named one version, or is a single model.
  let isSingle: Bool
  /// What a compiled bundle records beside its models; nil for any other input.
  let versionInfo: VersionInfo?

  /// Which versions a command needs.
  enum Extent {
    /// All of a bundle; one that can't be read is an error.
    case all
    /// All of a bundle that can be read; the others are told of.
    case readable
    /// The one that the argument names, else the current one.
    case selected
  }

  /// Reads the versions at an input; where the argument names one, that one alone.
  ///
  /// - Parameters:
  ///   - text: a file, a bundle, `Bundle@Version`, or either in git as `git:REVISION:PATH`.
  ///   - extent: which versions are read where the argument names none.
  /// - Throws: the error of what reads it.
  init(_ text: String, reading extent: Extent = .all) throws {
    let input = try ModelInput(text)
    name = text
    var selection = ModelFile.Selection.all
    if let version = input.location.version {
      selection = .named(version)
    } else if extent == .selected, try input.versionNames().count > 1 {
      selection = .current
    }
    history = ModelHistory(
      try input.read(
        selection,
        leavingOut: extent == .readable
          ? { refusal in
            for finding in refusal.diagnostics { Diagnostics.report(finding.asWarning) }
          } : nil
      ).map {
        (name: $0.version ?? Self.baseName($0.path), model: $0.model)
      },
      currentVersionName: try input.currentVersionName())
    versionInfo = try input.bundle()?.versionInfo
    isSingle = try input.location.version != nil || input.versionNames().count <= 1
    if let version = input.location.version {
      selected = try Self.version(version, of: history, name)
    } else {
      selected = history.currentVersion
    }
  }

  /// Reads what a command can't do without.
  ///
  /// - Throws: the status for trouble, after the error was reported with the input's name.
  static func required(_ text: String, reading extent: Extent = .all) throws -> HistoryInput {
    try InputReader.reported(text) { try HistoryInput(text, reading: extent) }
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
