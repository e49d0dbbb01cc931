import DataModels
import Foundation
import ModelEvolution
import ModelSource

/// The merge of one `contents` file: as models where all three can be read, else as text.
struct SourceFileMerge {
  /// The merged file.
  let contents: Data
  /// What contradicts each other; empty for a clean merge, and for one of texts.
  var conflicts: [MergeConflict] = []
  /// Whether somebody has to look at the file.
  let hasConflicts: Bool
  /// What to say besides, a line each.
  var remarks: [String] = []

  /// Merges the contents of three files.
  ///
  /// - Parameters:
  ///   - base: nil where both sides added the file.
  ///   - predecessor: the model to take for the base then; nil where there is none.
  ///   - path: the path that messages name.
  /// - Throws: an error of the file system, or of git.
  init(
    base: Data?, ours: Data, theirs: Data, path: String,
    predecessor: () -> NSManagedObjectModel? = { nil }
  ) throws {
    // What only one side changed is that side's, letter by letter.
    if ours == theirs || base == theirs {
      (contents, hasConflicts) = (ours, false)
      return
    }
    if base == ours {
      (contents, hasConflicts) = (theirs, false)
      return
    }
    var troubles: [String] = []
    func model(_ data: Data, _ side: String) -> NSManagedObjectModel? {
      do {
        return try SourceModel(data: data, path: path).model
      } catch {
        let first = Diagnostics.messages(for: error, path: path).first ?? ""
        troubles.append("\(side) can't be read (\(first)); merged as text")
        return nil
      }
    }
    let before = base.flatMap { model($0, "the base") }
    let mine = model(ours, "ours")
    let yours = model(theirs, "theirs")
    guard troubles.isEmpty, let mine, let yours else {
      let merge = try GitTextMerge(base: base ?? Data(), ours: ours, theirs: theirs)
      (contents, hasConflicts, remarks) = (merge.text, merge.hasConflicts, troubles)
      return
    }
    if base == nil {
      remarks.append(
        "both sides added this version, each another model, and they are put together; if both were"
          + " released keep both: momtool merge --renumber")
    }
    let start = before ?? (base == nil ? predecessor() : nil)
    let merge = try ModelMerge(base: start ?? NSManagedObjectModel(), ours: mine, theirs: yours)
    conflicts = merge.conflicts
    let text = Self.text(of: merge.model, start, yours)
    if conflicts.isEmpty {
      // Both sides can be compiled, so the merge must be.
      let errors: [String]
      do {
        _ = try SourceModel(data: text, path: path)
        errors = []
      } catch {
        errors = Diagnostics.messages(for: error, path: path)
      }
      remarks += errors
      (contents, hasConflicts) = (
        errors.isEmpty ? text : Self.marked(text, errors), !errors.isEmpty
      )
      return
    }
    let swapped = try ModelMerge(base: start ?? NSManagedObjectModel(), ours: yours, theirs: mine)
    let other = try ModelDifference(from: merge.model, to: swapped.model).applied(to: merge.model)
    let marked = try GitTextMerge(
      base: Data(), ours: text, theirs: Self.text(of: other, start, yours))
    contents =
      marked.hasConflicts ? marked.text : Self.marked(text, conflicts.map(\.description))
    hasConflicts = true
  }

  private static func text(
    of merged: NSManagedObjectModel, _ base: NSManagedObjectModel?, _ theirs: NSManagedObjectModel
  ) -> Data {
    Data(SourceWriter(merged: merged, base: base, theirs: theirs).xml.utf8)
  }

  /// The text with markers before it that say what is contested where no line is.
  private static func marked(_ text: Data, _ messages: [String]) -> Data {
    let lines = messages.joined(separator: "\n")
    return Data("<<<<<<< ours\n\(lines)\n=======\n>>>>>>> theirs\n".utf8) + text
  }
}
