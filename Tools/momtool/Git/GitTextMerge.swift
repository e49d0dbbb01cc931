import Foundation

/// Git's own merge of three texts, with markers where they contradict each other.
struct GitTextMerge {
  /// The merged text.
  let text: Data
  /// Whether the text has markers.
  let hasConflicts: Bool

  /// Merges texts.
  ///
  /// - Throws: `GitError` when git can't be run, or refuses (binary files).
  init(base: Data, ours: Data, theirs: Data) throws {
    let scratch = FileManager.default.temporaryDirectory
      .appendingPathComponent("momtool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    for (name, data) in [("ours", ours), ("base", base), ("theirs", theirs)] {
      try data.write(to: scratch.appendingPathComponent(name))
    }
    let output = try GitCommand(
      folder: scratch,
      arguments: [
        "merge-file", "-p", "-q", "-L", "ours", "-L", "base", "-L", "theirs", "ours", "base",
        "theirs",
      ]
    ).run()
    // The status is the number of conflicts, unless it tells of trouble.
    guard (0..<128).contains(output.exitCode) else {
      throw GitError(.commandFailed, "git merge-file failed: \(output.errors)")
    }
    text = output.data
    hasConflicts = output.exitCode > 0
  }
}
