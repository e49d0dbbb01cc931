import CompiledModel
import Foundation
import ManagedModel
import ModelEvolution
import ModelSource

/// The versions at one input, and the one that was asked for.
struct HistoryInput {
  /// The argument as the user gave it.
  var name: String
  /// All versions; one when the input is a single model.
  var history: ModelHistory
  /// The version that was named, else the current one; nil when there are several and none is
  /// current.
  var selected: ModelHistory.Version?
  /// Whether the argument named one version, or is a single model.
  var isSingle: Bool
  /// What a compiled bundle records beside its models; nil for any other input.
  var versionInfo: VersionInfo?

  /// The model that the input stands for where one is needed.
  ///
  /// - Throws: ``Diagnostic`` when there are several versions and none is current.
  func model() throws -> NSManagedObjectModel {
    guard let selected else {
      throw Diagnostic(
        "there are \(history.versions.count) versions and none is marked as current;"
          + " name one with @VERSION", path: name)
    }
    return selected.model
  }

  /// What the chosen model is called in reports.
  var title: String {
    guard let selected, history.versions.count > 1, !name.hasSuffix("@\(selected.name)") else {
      return name
    }
    return "\(name)@\(selected.name)"
  }
}

extension InputReader {
  /// All the versions at an input.
  ///
  /// - Parameter path: a file, a bundle, `Bundle@Version`, or either in git as `git:REVISION:PATH`.
  /// - Throws: the error of what reads it.
  static func history(at text: String) throws -> HistoryInput {
    let location = try InputLocation(text)
    let checkout = try location.revision.map { try GitCheckout(location.path, at: $0) }
    let path = checkout?.url.path ?? location.path
    return try withExtendedLifetime(checkout) {
      do {
        return try history(at: path, location)
      } catch  where checkout != nil {
        // The user knows nothing of the temporary folder.
        let message = Diagnostics.messages(for: error, path: nil).joined(separator: "\n")
        throw Diagnostic(
          message.replacingOccurrences(of: path, with: location.path), path: text)
      }
    }
  }

  private static func history(at path: String, _ location: InputLocation) throws -> HistoryInput {
    var loaded: [LoadedModel]
    var current: String?
    var versionInfo: VersionInfo?
    if path == InputFile.standardInput {
      loaded = [try standardInputModel()]
    } else if SourceFile.isSource(path) {
      loaded = [try SourceFile.model(at: path)]
    } else {
      let file = try ModelFile(at: path)
      loaded = try file.modelsOfAnyKind(.all)
      switch file.kind {
      case .bundle:
        let bundle = try ModelBundle(at: path)
        current = try? bundle.currentVersionName()
        versionInfo = bundle.versionInfo
      case .source:
        current = try ModelPackage(at: URL(fileURLWithPath: path), path: path).currentVersionName
      default: break
      }
    }
    let history = ModelHistory(
      loaded.map { (name: $0.version ?? Self.baseName($0.path), model: $0.model) },
      currentVersionName: current)
    var selected = history.currentVersion
    if let version = location.version {
      selected = history[version]
      guard selected != nil else {
        let names = history.versions.map(\.name).joined(separator: ", ")
        throw Diagnostic(
          "there is no version '\(version)'; there are \(names)", path: location.text)
      }
    }
    return HistoryInput(
      name: location.text, history: history, selected: selected,
      isSingle: location.version != nil || history.versions.count == 1, versionInfo: versionInfo)
  }

  private static func baseName(_ path: String) -> String {
    URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }
}

extension InputReader {
  /// Does something with the one input a command can't do without.
  ///
  /// - Throws: the status for trouble, after the error was reported with the input's name.
  static func reported<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      Diagnostics.report(error, path: path)
      throw ExitStatus.trouble
    }
  }
}
