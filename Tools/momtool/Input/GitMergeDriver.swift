import DataModels
import Foundation
import ModelEvolution
import ModelSource

/// A merge of one file for git: the result replaces ours, and a conflict ends with status 1.
///
/// git hands over the files' contents without their names, and the path for messages. Where both
/// branches added the file the base is empty; then the version that was current in their common
/// ancestor is the base, if git tells which that is.
struct GitMergeDriver {
  let base: String
  let ours: String
  let theirs: String
  let path: String

  /// Merges, and ends the command when there are conflicts.
  ///
  /// - Throws: the status for findings or for trouble.
  func run() throws {
    if path.hasSuffix(CurrentVersionFile.name) {
      try mergeCurrentVersion()
    } else if path.hasSuffix("/contents") {
      try mergeContents()
    } else {
      throw Diagnostic("only sources merge: contents and .xccurrentversion", path: path)
    }
  }

  private func mergeContents() throws {
    let mine = try model(ours)
    let yours = try model(theirs)
    let before = try isEmpty(base) ? predecessor() : model(base)
    let merge = try ModelMerge(
      base: before ?? NSManagedObjectModel(), ours: mine, theirs: yours)
    // The result is readable and valid in any case: ours stands where the sides contradict.
    try InputFile.write(Array(SourceWriter(merge.model, donor: yours).xml.utf8), to: ours)
    guard merge.conflicts.isEmpty else {
      for line in MergeReport(merge.conflicts).text.split(separator: "\n") {
        Diagnostics.report(Diagnostic(String(line), path: path))
      }
      throw ExitStatus.findings
    }
  }

  private func model(_ file: String) throws -> NSManagedObjectModel {
    do {
      return try SourceModel(
        data: Data(contentsOf: URL(fileURLWithPath: file)), path: path
      ).model
    } catch {
      Diagnostics.report(error, path: path)
      throw ExitStatus.trouble
    }
  }

  private func isEmpty(_ file: String) throws -> Bool {
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    return (attributes[.size] as? NSNumber)?.intValue == 0
  }

  /// The version that was current where the branches parted; nil when that can't be found out.
  private func predecessor() -> NSManagedObjectModel? {
    let parts = path.components(separatedBy: ".xcdatamodeld/")
    // git tells a driver which commits it merges only by the names of its environment.
    let heads = ProcessInfo.processInfo.environment.keys.filter { $0.hasPrefix("GITHEAD_") }
      .map { String($0.dropFirst("GITHEAD_".count)) }
    guard parts.count == 2, heads.count == 1, let head = heads.first,
      let repository = try? GitRepository(containing: URL(fileURLWithPath: ".")),
      let start = try? repository.mergeBase("HEAD", head),
      let input = try? HistoryInput("git:\(start):\(parts[0]).xcdatamodeld")
    else { return nil }
    return (input.selected ?? input.history.latestVersion)?.model
  }

  private func mergeCurrentVersion() throws {
    let before = try currentVersion(base)
    let mine = try currentVersion(ours)
    let yours = try currentVersion(theirs)
    if mine == yours || yours == before { return }
    guard mine == before, let yours else {
      Diagnostics.report(
        Diagnostic(
          "ours made \(mine ?? "none") the current version, theirs \(yours ?? "none"); choose one, or"
            + " merge the bundle with momtool merge --renumber", path: path))
      throw ExitStatus.findings
    }
    try InputFile.write(
      Array(CurrentVersionFile.text(currentVersionName: yours).utf8), to: ours)
  }

  /// The version that one of the files names; nil for an empty file.
  private func currentVersion(_ file: String) throws -> String? {
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    return data.isEmpty ? nil : try CurrentVersionFile.name(in: data, path: path)
  }
}
