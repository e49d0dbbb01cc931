import Foundation
import ModelSource
import PropertyLists

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
    let temporary = try TemporaryFolder()
    defer { withExtendedLifetime(temporary) {} }
    let scratch = temporary.url
    for (name, data) in [("ours", ours), ("base", base), ("theirs", theirs)] {
      try data.write(to: scratch.appendingPathComponent(name))
    }
    let output = try GitCommand(
      folder: scratch,
      arguments: [
        "merge-file", "-p", "-L", "ours", "-L", "base", "-L", "theirs", "ours", "base",
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

  /// Merges the texts of files, of which sides may have another encoding or other line ends: the merged file has
  /// ours.
  ///
  /// - Parameter path: the path that messages name.
  /// - Throws: `GitError` when git can't be run; ``Diagnostic`` for files that are no texts, with what to do.
  init(base: Data, ours: Data, theirs: Data, keepingFormOf path: String) throws {
    var texts: [Data] = []
    var form = SourceForm()
    for (side, data) in [("ours", ours), ("the base", base), ("theirs", theirs)] {
      guard let (text, found) = try? SourceForm.read(data), !text.contains(0) else {
        throw Diagnostic(
          "\(side) is no text, so that git can't merge it; take one side, with git checkout --ours or"
            + " --theirs, then git add", path: path)
      }
      texts.append(Data(text))
      if side == "ours" { form = found }
    }
    let merge = try GitTextMerge(base: texts[1], ours: texts[0], theirs: texts[2])
    text = form.data(of: String(decoding: merge.text, as: UTF8.self))
    hasConflicts = merge.hasConflicts
  }
}
