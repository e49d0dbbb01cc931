import BinaryPlist
import CompiledModel
import Foundation
import ManagedModel
import ModelEvolution
import ModelSource

/// The file or bundle that models are written to, in the form that its name asks for.
///
/// What was there before is replaced at the end, in one step: a failure leaves it as it was.
struct ModelOutput {
  /// The forms.
  enum Form {
    case compiledModel
    case compiledBundle
    case source
    case sourceVersion
    case sourceBundle
  }

  let path: String
  let form: Form
  /// For versions that got part of what they have from another source, that source's model.
  var donors: [String: NSManagedObjectModel] = [:]

  /// Finds the form by the name's extension.
  ///
  /// - Throws: ``Diagnostic`` for a name without a known one.
  init(_ path: String) throws {
    self.path = path
    let url = URL(fileURLWithPath: path)
    switch (url.pathExtension, url.lastPathComponent) {
    case ("mom", _): form = .compiledModel
    case ("momd", _): form = .compiledBundle
    case ("xcdatamodel", _): form = .sourceVersion
    case ("xcdatamodeld", _): form = .sourceBundle
    case (_, "contents"): form = .source
    default:
      throw Diagnostic(
        "give the output a name that ends in .mom, .momd, .xcdatamodel or .xcdatamodeld",
        path: path)
    }
  }

  /// Writes models; a form that holds one model takes the current version.
  ///
  /// - Parameter conflicts: what goes into `conflicts.json`, in the bundle or beside the file; nil
  ///   for none.
  func write(_ history: ModelHistory, conflicts: JSONReport?) throws {
    let note = conflicts.map { Array($0.document.utf8) }
    switch form {
    case .compiledModel, .source:
      let model = try single(history)
      let bytes = try form == .source ? source(of: model) : Self.archive(of: model.model)
      try InputFile.write(bytes, to: path)
      if let note {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try InputFile.write(note, to: folder.appendingPathComponent("conflicts.json").path)
      }
    case .sourceVersion, .sourceBundle, .compiledBundle:
      var files = try files(of: history)
      if let note { files["conflicts.json"] = note }
      try FolderOutput.write(files, to: path)
    }
  }

  private func files(of history: ModelHistory) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    switch form {
    case .sourceVersion:
      files["contents"] = try source(of: try single(history))
    case .sourceBundle:
      for version in history.versions {
        files["\(version.name).xcdatamodel/contents"] = try source(of: version)
      }
      if let current = history.currentVersionName {
        files[CurrentVersionFile.name] = Array(
          CurrentVersionFile.text(currentVersionName: current).utf8)
      }
    default:
      for version in history.versions {
        files["\(version.name).mom"] = try Self.archive(of: version.model)
      }
      let info = VersionInfo(
        versions: history.versions.map {
          VersionInfo.Version(
            name: $0.name, entityHashes: $0.model.entityVersionHashesByName,
            checksum: $0.model.versionChecksum)
        }, currentVersionName: history.currentVersionName)
      files[VersionInfo.fileName] = info.encoded()
    }
    return files
  }

  private func single(_ history: ModelHistory) throws -> ModelHistory.Version {
    guard let version = history.currentVersion else {
      throw Diagnostic(
        "it holds one model, and there are \(history.versions.count) without a current one",
        path: path)
    }
    return version
  }

  private static func archive(of model: NSManagedObjectModel) throws -> [UInt8] {
    try ModelArchive.encode(model)
  }

  private func source(of version: ModelHistory.Version) throws -> [UInt8] {
    let writer = SourceWriter(version.model, donor: donors[version.name])
    for loss in writer.losses {
      Diagnostics.report(Diagnostic(warning: "not written: \(loss)"))
    }
    return Array(writer.xml.utf8)
  }
}
