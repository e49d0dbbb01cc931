import DataModels
import Foundation
import ModelEvolution
import ModelSource
import PropertyLists

/// The file or bundle to which models are written, in the format given by its name.
///
/// Existing files are replaced atomically at the end: they are unchanged if an error occurs.
struct ModelOutput {
  /// The formats.
  enum Form {
    case compiledModel
    case compiledBundle
    case source
    case sourceVersion
    case sourceBundle

    /// Whether it contains all versions of a model.
    var holdsVersions: Bool { self == .compiledBundle || self == .sourceBundle }
  }

  let path: String
  let form: Form
  /// For versions created by a merge, the models they were created from.
  var sides: [String: HistoryMerge.Sides] = [:]
  /// The information that a compiled bundle carries over: the order of versions, and unknown keys.
  var original: VersionInfo?

  /// Determines the format from the file name extension.
  ///
  /// - Throws: ``Diagnostic`` for an unknown extension.
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

  /// Writes models; a format for a single model uses the current version.
  ///
  /// - Parameters:
  ///   - history: The models, and which one is current.
  ///   - conflicts: The contents of `conflicts.json`, in the bundle or beside the file; nil for none.
  func write(_ history: ModelHistory, conflicts: JSONReport?) throws {
    let note = conflicts.map { Array($0.document.utf8) }
    switch form {
    case .compiledModel, .source:
      let model = try single(history)
      let bytes = try form == .source ? source(of: model) : ModelArchive.encode(model.model)
      try InputFile.write(bytes, to: path)
      if let note {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let beside = folder.appendingPathComponent(AtomicFolder.conflictsName)
        try InputFile.write(note, to: beside.path)
      }
    case .sourceVersion, .sourceBundle, .compiledBundle:
      var files = try files(of: history)
      if let note {
        files.append(CompiledFiles.File(name: AtomicFolder.conflictsName, bytes: note))
      }
      try AtomicFolder.write(
        files, to: path, replacing: form == .compiledBundle ? .compiledModel : .source)
    }
  }

  private func files(of history: ModelHistory) throws -> [CompiledFiles.File] {
    switch form {
    case .compiledModel, .source: return []
    case .compiledBundle:
      return try ModelBundle.files(
        of: history.versions.map { ModelBundle.NewVersion(name: $0.name, model: $0.model) },
        currentVersionName: recordedCurrentVersionName(of: history), path: path,
        carryingOver: original)
    case .sourceVersion:
      return [CompiledFiles.File(name: "contents", bytes: try source(of: try single(history)))]
    case .sourceBundle:
      var files = try history.versions.map { version in
        CompiledFiles.File(
          name: "\(version.name).xcdatamodel/contents", bytes: try source(of: version))
      }
      if let current = history.currentVersionName {
        files.append(
          CompiledFiles.File(
            name: CurrentVersionFile.name,
            bytes: Array(CurrentVersionFile.text(currentVersionName: current).utf8)))
      }
      return files
    }
  }

  /// The name to record. A single version is current without being recorded, and stays so.
  private func recordedCurrentVersionName(of history: ModelHistory) -> String? {
    guard let current = history.currentVersion?.name else { return nil }
    if let original, history.versions.count == 1, original.currentVersionName != current {
      return nil
    }
    return current
  }

  private func single(_ history: ModelHistory) throws -> ModelHistory.Version {
    guard let version = history.currentVersion else {
      throw Diagnostic(
        "it can hold only one model, but there are \(history.versions.count) without a current one",
        path: path)
    }
    return version
  }

  /// The conflicts in content that only sources have, in versions that were merged; empty if no source is written.
  func sourceConflicts(of history: ModelHistory) -> [HistoryMerge.Conflict] {
    guard form == .source || form == .sourceVersion || form == .sourceBundle else { return [] }
    return history.versions.flatMap { version in
      sides[version.name] == nil
        ? []
        : writer(of: version).conflicts.map {
          .init(version: form.holdsVersions ? version.name : nil, conflict: MergeConflict($0))
        }
    }
  }

  /// Where what is written of merged sources doesn't say what was merged; read back, since such a loss would be silent.
  func misreadings(of history: ModelHistory) -> [HistoryMerge.Conflict] {
    guard form == .source || form == .sourceVersion || form == .sourceBundle else { return [] }
    return history.versions.flatMap { version -> [HistoryMerge.Conflict] in
      // What a compiled model says needn't have a place in sources.
      guard let side = sides[version.name], version.model.compilerStamp == nil else { return [] }
      let writer = writer(of: version)
      guard writer.losses.isEmpty else { return [] }
      return MergeConflict.misreadings(
        of: writer.data, as: version.model, path: path, tolerating: [version.model, side.theirs]
      ).map {
        .init(version: form.holdsVersions ? version.name : nil, conflict: $0)
      }
    }
  }

  private func writer(of version: ModelHistory.Version) -> SourceWriter {
    sides[version.name].map {
      SourceWriter(merged: version.model, base: $0.base, theirs: $0.theirs, names: $0.names)
    } ?? SourceWriter(version.model)
  }

  private func source(of version: ModelHistory.Version) throws -> [UInt8] {
    let writer = writer(of: version)
    for loss in writer.losses {
      Diagnostics.report(Diagnostic(warning: "not written: \(loss)"))
    }
    return Array(writer.data)
  }
}
