import Foundation
import ModelSource
import PropertyLists

/// Git's own three-way merge of texts, with conflict markers.
struct GitTextMerge {
  /// The merged text.
  let text: Data
  /// Whether the text has conflict markers.
  let hasConflicts: Bool

  /// Merges texts.
  ///
  /// - Throws: `GitError` when git can't be run, or refuses to merge (binary files).
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
    // The exit status is the number of conflicts, or indicates an error.
    guard (0..<128).contains(output.exitCode) else {
      throw GitError(.commandFailed, "git merge-file failed: \(output.errors)")
    }
    text = output.data
    hasConflicts = output.exitCode > 0
  }

  /// Merges the texts of files whose sides may have different encodings or line endings; the merged file uses those of
  /// the side that changed them, or else ours.
  ///
  /// - Parameter path: The path for messages.
  /// - Throws: `GitError` when git can't be run; ``Diagnostic`` for files that aren't text, with advice.
  init(base: Data, ours: Data, theirs: Data, keepingFormOf path: String) throws {
    var texts: [Data] = []
    var forms: [SourceForm] = []
    for (side, data) in [("ours", ours), ("the base", base), ("theirs", theirs)] {
      guard let (text, found) = try? SourceForm.read(data), !text.contains(0) else {
        throw Diagnostic(
          "\(side) isn't text, so git can't merge it; choose one side, with git checkout --ours or"
            + " --theirs, then git add", path: path)
      }
      texts.append(Data(text))
      forms.append(found)
    }
    let form = SourceForm.merged(base: forms[1], ours: forms[0], theirs: forms[2])
    let merge = try GitTextMerge(base: texts[1], ours: texts[0], theirs: texts[2])
    text = form.data(ofUTF8: merge.text)
    hasConflicts = merge.hasConflicts
  }
}
