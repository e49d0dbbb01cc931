import DataModels
import Foundation
import ModelEvolution

/// The versions at an input, and the selected one.
struct HistoryInput {
  /// The argument as given by the user.
  let name: String
  /// The versions that were read: all of them, or the requested one.
  let history: ModelHistory
  /// The requested version, or else the current one; nil when there are several and none is current.
  let selected: ModelHistory.Version?
  /// Whether the argument requested a single version, or is a single model.
  let isSingle: Bool
  /// The information that a compiled bundle records besides its models; nil for any other input.
  let versionInfo: VersionInfo?

  /// The versions that a command needs.
  enum Extent {
    /// All versions of a bundle; one that can't be read is an error.
    case all
    /// All versions of a bundle that can be read; the others are reported.
    case readable
    /// The requested version, or else the current one.
    case selected
  }

  /// Reads the versions at an input, or only the requested one.
  ///
  /// - Parameters:
  ///   - text: A file, a bundle, `Bundle@Version`, or either in git as `git:REVISION:PATH`.
  ///   - extent: The versions to read if the argument doesn't request one.
  /// - Throws: Any error in reading the input.
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

  /// Reads an input that the command requires.
  ///
  /// - Throws: The exit status for trouble, after reporting the error with the input's name.
  static func required(_ text: String, reading extent: Extent = .all) throws -> HistoryInput {
    try InputReader.reported(text) { try HistoryInput(text, reading: extent) }
  }

  /// Returns the version with a name, or the one selected by the input.
  ///
  /// - Throws: `ModelFileError` when it doesn't exist, or there are several and none is current.
  func version(named name: String? = nil) throws -> ModelHistory.Version {
    if let name { return try Self.version(name, of: history, self.name) }
    guard let selected else {
      throw ModelFileError(
        noCurrentVersionAmong: history.versions.map(\.name), path: self.name)
    }
    return selected
  }

  /// Returns the model selected by the input.
  ///
  /// - Throws: `ModelFileError` when there are several versions and none is current.
  func model() throws -> NSManagedObjectModel { try version().model }

  /// The title of the selected model in reports.
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
