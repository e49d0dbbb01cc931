import DataModels
import Foundation
import ModelEvolution
import ModelSource

/// Merges one file for git: the result replaces our file, and the exit status is 1 if there are conflicts.
///
/// git passes the contents of the files in temporary files, and the path for messages. If both branches added the file,
/// the base is empty; in this case the version is used that was current where they parted (``MergePredecessor``).
///
/// A conflict leaves git's markers around the conflicting lines. git keeps the three files as stages of its index, from
/// which ``explain(_:colors:)`` describes the conflicts again.
struct GitMergeDriver {
  let base: String
  let ours: String
  let theirs: String
  let path: String

  /// Performs the merge, and exits if there are conflicts.
  ///
  /// - Throws: The exit status for findings or for trouble.
  func run() throws {
    let merge = try Self.merge(
      base: contents(of: base), ours: contents(of: ours) ?? Data(),
      theirs: contents(of: theirs) ?? Data(), path: path)
    try InputFile.write(Array(merge.contents), to: ours)
    for remark in merge.remarks { Diagnostics.report(Diagnostic(warning: remark, path: path)) }
    guard merge.hasConflicts else { return }
    for line in MergeReport(merge.conflicts).text.split(separator: "\n") {
      Diagnostics.report(Diagnostic(String(line), path: path))
    }
    throw ExitStatus.findings
  }

  /// The contents of one of git's files; nil if it is empty, which means that there is none.
  private func contents(of file: String) throws -> Data? {
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    return data.isEmpty ? nil : data
  }

  private static func merge(
    base: Data?, ours: Data, theirs: Data, path: String
  ) throws -> SourceFileMerge {
    if path.hasSuffix(CurrentVersionFile.name) {
      return try SourceFileMerge(currentVersion: base, ours: ours, theirs: theirs, path: path)
    }
    // Attributes may name the driver for whole folders; a failure would leave our side, without any marker.
    guard path.hasSuffix("/contents") else {
      return try SourceFileMerge(text: base, ours: ours, theirs: theirs, path: path)
    }
    return try SourceFileMerge(
      base: base, ours: ours, theirs: theirs, path: path,
      predecessor: { MergePredecessor(of: path, ours: ours, theirs: theirs) })
  }

  /// Describes the conflicts in the files that git couldn't merge.
  ///
  /// - Parameter paths: Files and folders; empty for the whole repository.
  /// - Throws: The exit status for findings if there are any conflicts.
  static func explain(_ paths: [String], colors: ColorOptions) throws {
    let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    let repository = try GitRepository(containing: here)
    let inner = try paths.map {
      try repository.path(of: URL(fileURLWithPath: $0, relativeTo: here))
    }
    let files = try repository.unmergedFiles(at: inner).filter {
      $0.path.hasSuffix(".xcdatamodel/contents") || $0.path.hasSuffix(CurrentVersionFile.name)
    }
    let missing = paths.first { path in
      !FileManager.default.fileExists(atPath: path)
    }
    if files.isEmpty, let missing { throw Diagnostic("there is no such file", path: missing) }
    guard !files.isEmpty else {
      try StandardOutput.write("there are no unmerged models\n")
      return
    }
    for file in files {
      var text = "\(file.path):\n"
      if let ours = file.stages[2], let theirs = file.stages[3] {
        let merge = try merge(base: file.stages[1], ours: ours, theirs: theirs, path: file.path)
        for remark in merge.remarks { text += "  \(remark)\n" }
        let report = MergeReport(merge.conflicts)
          .text(paint: TerminalPaint.report(isOn: colors.isOn))
        for line in report.split(separator: "\n") { text += "  \(line)\n" }
        if merge.conflicts.isEmpty, merge.remarks.isEmpty {
          // Git doesn't use merge drivers when merging more than two branches.
          text += "  it can be merged: after git-setup, git checkout --merge does so with momtool\n"
        }
      } else {
        text += "  \(removal(of: file))\n"
      }
      try StandardOutput.writeReport(text)
    }
    throw ExitStatus.findings
  }

  /// Says what became of a file that only one side has, or neither.
  private static func removal(of file: GitRepository.UnmergedFile) -> String {
    let sides = file.stages.keys.filter { $0 != 1 }.map { $0 == 2 ? "ours" : "theirs" }
    guard let side = sides.first else {
      return "neither side has it under this path: one renamed it, the other renamed or removed it"
    }
    guard file.stages[1] != nil else {
      return "only \(side) has it under this path: a side renamed it, or a folder that it is in"
    }
    return "\(side == "ours" ? "theirs" : "ours") removed it, the other side changed it"
  }
}

extension SourceFileMerge {
  /// Merges the files that record the current version: the later version is used if each side made another one current.
  ///
  /// - Throws: An error of git, if a file can't be parsed and is merged as text.
  fileprivate init(currentVersion base: Data?, ours: Data, theirs: Data, path: String) throws {
    func name(_ data: Data) -> String? { try? CurrentVersionFile.name(in: data, path: path) }
    guard let mine = name(ours), let yours = name(theirs) else {
      try self.init(
        text: base, ours: ours, theirs: theirs, path: path,
        remarks: ["one side has no current version; merged as text"])
      return
    }
    let before = base.flatMap(name)
    // Keep the rest of the files' contents if it can be merged.
    if let base,
      let merge = try? GitTextMerge(
        base: base, ours: ours, theirs: theirs, keepingFormOf: path),
      mine == yours || !merge.hasConflicts
    {
      self.init(contents: merge.text, hasConflicts: merge.hasConflicts)
      return
    }
    if mine == yours || yours == before || mine == before {
      let taken = mine == before ? theirs : ours
      self.init(contents: taken, hasConflicts: false)
      return
    }
    let later = ModelHistory.isVersion(mine, before: yours) ? yours : mine
    self.init(
      contents: later == mine ? ours : theirs, hasConflicts: false,
      remarks: [ContestedCurrentVersion.message(mine, yours, taken: later)])
  }

  /// Merges files as git merges texts.
  ///
  /// - Throws: An error of git.
  fileprivate init(
    text base: Data?, ours: Data, theirs: Data, path: String, remarks: [String] = []
  ) throws {
    let merge = try GitTextMerge(
      base: base ?? Data(), ours: ours, theirs: theirs, keepingFormOf: path)
    self.init(contents: merge.text, hasConflicts: merge.hasConflicts, remarks: remarks)
  }

  private init(contents: Data, hasConflicts: Bool, remarks: [String] = []) {
    self.contents = contents
    self.hasConflicts = hasConflicts
    self.remarks = remarks
  }
}

/// Messages for the case that both sides made another version current.
enum ContestedCurrentVersion {
  /// The message for a conflict.
  static func message(_ ours: String, _ theirs: String, taken: String) -> String {
    "ours made \(ours) the current version, theirs \(theirs): \(taken) is used, the later one; make sure"
      + " that it has the other's changes"
  }
}
