import DataModels
import Foundation
import ModelEvolution
import ModelSource

/// Merges one `contents` file: as models if all three can be read, and otherwise as text.
struct SourceFileMerge {
  /// The merged file.
  let contents: Data
  /// The conflicts; empty for a clean merge, and for a merge of text.
  var conflicts: [MergeConflict] = []
  /// Whether the file has to be resolved manually.
  let hasConflicts: Bool
  /// Additional remarks, one per line.
  var remarks: [String] = []

  /// Merges the contents of three files.
  ///
  /// - Parameters:
  ///   - base: The base; nil if both sides added the file.
  ///   - predecessor: Returns the model to use as the base in that case; nil if there is none.
  ///   - path: The path for messages.
  /// - Throws: An error of the file system, or of git.
  init(
    base: Data?, ours: Data, theirs: Data, path: String,
    predecessor: () -> NSManagedObjectModel? = { nil }
  ) throws {
    // If only one side changed the file, its version is used verbatim.
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
    let before = base.flatMap { Self.oneSide(of: $0, path) ?? model($0, "the base") }
    let mine = model(ours, "ours")
    let yours = model(theirs, "theirs")
    guard troubles.isEmpty, let mine, let yours else {
      let merge = try GitTextMerge(
        base: base ?? Data(), ours: ours, theirs: theirs, keepingFormOf: path)
      // If both sides can be compiled, the merge must be as well.
      let isChecked = mine != nil && yours != nil && !merge.hasConflicts
      let errors = isChecked ? Self.errors(in: merge.text, path) : []
      (contents, hasConflicts) = (
        Data(Self.marks(errors).utf8) + merge.text, merge.hasConflicts || !errors.isEmpty
      )
      remarks = troubles + errors
      return
    }
    if base == nil {
      remarks.append(
        "both sides added this version, with different models, which were merged; if both were"
          + " released, keep both with momtool merge --renumber")
    }
    let start = before ?? (base == nil ? predecessor() : nil)
    do {
      self = try Self(base: start, ours: mine, theirs: yours, path: path, remarks: remarks)
    } catch {
      let merge = try GitTextMerge(
        base: base ?? Data(), ours: ours, theirs: theirs, keepingFormOf: path)
      let reason =
        (error as? EvolutionError)?.description
        ?? Diagnostics.messages(for: error, path: path).first ?? "\(error)"
      let message = "they can't be merged as models (\(reason)); merged as text"
      // Without a marker, the next commit would lose a side.
      let marks = merge.hasConflicts ? Data() : Data(Self.marks([message]).utf8)
      (contents, hasConflicts) = (marks + merge.text, true)
      self.remarks = remarks + [message]
    }
  }

  /// Merges the models of three files.
  ///
  /// - Throws: `EvolutionError` for models that can't be merged; an error of git.
  private init(
    base start: NSManagedObjectModel?, ours mine: NSManagedObjectModel,
    theirs yours: NSManagedObjectModel, path: String, remarks: [String]
  ) throws {
    self.remarks = remarks
    let merge = try ModelMerge(base: start ?? NSManagedObjectModel(), ours: mine, theirs: yours)
    let writer = SourceWriter(merged: merge.model, base: start, theirs: yours, names: merge.names)
    conflicts = (merge.conflicts + writer.conflicts.map { MergeConflict($0) }).sorted()
    if conflicts.isEmpty {
      // Both sides can be compiled, so the merge must be as well.
      let errors = Self.errors(in: writer.data, path)
      self.remarks += errors
      let text = errors.isEmpty ? writer.xml : Self.marks(errors) + writer.xml
      (contents, hasConflicts) = (writer.form.data(of: text), !errors.isEmpty)
      return
    }
    let swapped = try ModelMerge(base: start ?? NSManagedObjectModel(), ours: yours, theirs: mine)
    let other = try ModelDifference(from: merge.model, to: swapped.model).applied(to: merge.model)
    let names = swapped.names
    let rival = SourceWriter(
      merged: other, base: start, theirs: yours,
      names: MergedNames(base: names.base, ours: names.theirs, theirs: names.ours),
      prefersTheirs: true)
    let marked = try GitTextMerge(
      base: Data(), ours: Data(writer.xml.utf8), theirs: Data(rival.xml.utf8))
    // Conflicts that don't show in any line are listed at the top.
    let unseen =
      marked.hasConflicts
      ? conflicts.filter { $0.taken == nil && $0.kind != .nameTaken } : conflicts
    let text = String(
      decoding: marked.hasConflicts ? marked.text : Data(writer.xml.utf8), as: UTF8.self)
    contents = writer.form.data(of: Self.marks(unseen.map(\.description)) + text)
    hasConflicts = true
  }

  /// The model of one side of a base with conflicts: where branches have several common ancestors, git merges these first,
  /// and leaves its markers in the base. Nil if there are none, or neither side can be read.
  private static func oneSide(of base: Data, _ path: String) -> NSManagedObjectModel? {
    let text = ConflictedText(base)
    return ConflictedText.Side.allCases.lazy
      .compactMap { text.resolved(to: $0) }
      .compactMap { try? SourceModel(data: $0, path: path).model }.first
  }

  /// Why a merged file can't be compiled; empty if it can.
  private static func errors(in contents: Data, _ path: String) -> [String] {
    do {
      _ = try SourceModel(data: contents, path: path)
      return []
    } catch {
      return Diagnostics.messages(for: error, path: path)
    }
  }

  /// Git's markers around messages; empty if there are none.
  private static func marks(_ messages: [String]) -> String {
    guard !messages.isEmpty else { return "" }
    return "<<<<<<< ours\n\(messages.joined(separator: "\n"))\n=======\n>>>>>>> theirs\n"
  }
}
