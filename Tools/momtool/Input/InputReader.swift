import ArgumentParser
import BinaryPlist
import CompiledModel
import Foundation
import ManagedModel
import ModelEvolution

/// Finds and reads the models that a command's arguments name.
///
/// An input that can't be read is reported, and the others are read all the same; ``finish()``
/// then ends the command with the status for trouble.
struct InputReader {
  private var failed = false

  /// The models at one input; those that can't be read are reported and left out.
  ///
  /// - Parameters:
  ///   - path: a file, a bundle, a version in a bundle (`Shop.momd/Shop 2`), a folder, or `-`.
  ///   - selection: which versions of a bundle to read. Of a folder's bundles, those that have no
  ///     version of the name are passed over, unless none has.
  mutating func models(at path: String, _ selection: ModelFile.Selection) -> [LoadedModel] {
    if path == InputFile.standardInput {
      return attempt(path) { [try Self.standardInputModel()] } ?? []
    }
    if Self.isExtended(path) {
      return attempt(path) { try Self.extendedModels(at: path, selection) } ?? []
    }
    if let (bundle, name) = Self.bundleAndVersion(path) {
      return attempt(path) { try bundle.modelsOfAnyKind(.named(name)) } ?? []
    }
    let files = files(at: path)
    if files.count > 1, case .named = selection {
      return attempt(path) { try ModelFile(at: path).models(selection) } ?? []
    }
    return files.flatMap { file in
      attempt(file.path) { try file.modelsOfAnyKind(selection) } ?? []
    }
  }

  /// The files and bundles at one input, and those inside a folder; none when it can't be read,
  /// which is reported.
  mutating func files(at path: String) -> [ModelFile] {
    attempt(path) { try ModelFile(at: path).modelFiles() } ?? []
  }

  /// Does something with an input, and reports the error it throws.
  mutating func attempt<Result>(_ path: String, _ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      // A status ends what was reported already.
      if !(error is ExitCode) { Diagnostics.report(error, path: path) }
      failed = true
      return nil
    }
  }

  /// Ends the command when an input failed.
  ///
  /// - Throws: the status for trouble.
  func finish() throws {
    if failed { throw ExitStatus.trouble }
  }

  /// The bundle and the version that a path such as `Shop.momd/Shop 2` names; `nil` for a path that
  /// exists, or into no bundle.
  private static func bundleAndVersion(_ path: String) -> (ModelFile, String)? {
    guard !FileManager.default.fileExists(atPath: path),
      let (folder, name) = path.splitAtLastSlash,
      let bundle = try? ModelFile(at: folder), [.bundle, .source].contains(bundle.kind)
    else { return nil }
    return (bundle, name)
  }

  /// Whether an input is a source, a version after an @ sign, or in a git revision.
  private static func isExtended(_ path: String) -> Bool {
    guard let location = try? InputLocation(path) else { return true }
    return location.revision != nil || location.version != nil || SourceFile.isSource(path)
  }

  private static func extendedModels(
    at path: String, _ selection: ModelFile.Selection
  ) throws -> [LoadedModel] {
    let input = try history(at: path)
    let versions: [ModelHistory.Version]
    switch selection {
    case .current:
      _ = try input.model()
      versions = input.selected.map { [$0] } ?? []
    case .all: versions = input.history.versions
    case .named(let name):
      versions = input.history[name].map { [$0] } ?? []
      guard !versions.isEmpty else { throw Diagnostic("there is no version '\(name)'") }
    }
    return versions.map {
      LoadedModel(
        path: path, version: input.history.versions.count > 1 ? $0.name : nil, model: $0.model)
    }
  }

  static func standardInputModel() throws -> LoadedModel {
    LoadedModel(
      path: InputFile.standardInput,
      model: try ModelFile.model(fromBytes: FileBytes.readStandardInput()))
  }
}

extension String {
  /// The folder and the last name of a path, without trailing slashes; `nil` for a name alone.
  fileprivate var splitAtLastSlash: (folder: String, name: String)? {
    var path = self[...]
    while path.hasSuffix("/") { path = path.dropLast() }
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}
