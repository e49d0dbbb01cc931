import DataModels
import Foundation
import ModelEvolution
import ModelSource
import PropertyLists

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

    /// Whether all versions of a model go into it.
    var holdsVersions: Bool { self == .compiledBundle || self == .sourceBundle }
  }

  let path: String
  let form: Form
  /// For versions that a merge made, what it made them of.
  var sides: [String: HistoryMerge.Sides] = [:]
  /// What a compiled bundle carries over: the order of versions, and keys that aren't known.
  var original: VersionInfo?

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
  /// - Parameters:
  ///   - history: the models, and which one is current.
  ///   - conflicts: what goes into `conflicts.json`, in the bundle or beside the file; nil for none.
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

  /// The name to record. A lone version is current without being recorded: it is where it was.
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
        "it holds one model, and there are \(history.versions.count) without a current one",
        path: path)
    }
    return version
  }

  /// What the sources of merged versions say and no model does, and both sides changed differently; nothing where no
  /// source is written.
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
