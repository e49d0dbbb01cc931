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
  ///   - predecessor: Returns the version that it was made from in that case, which is the base then.
  ///   - path: The path for messages.
  /// - Throws: An error of the file system, or of git.
  init(
    base: Data?, ours: Data, theirs: Data, path: String,
    predecessor: () -> MergePredecessor = { .nothing }
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
        let first = Self.reason(error, path)
        troubles.append("\(side) can't be read (\(first)); merged as text")
        return nil
      }
    }
    if let base, let merge = try Self(conflicted: base, ours: ours, theirs: theirs, path: path) {
      self = merge
      return
    }
    let before = base.flatMap { model($0, "the base") }
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
          + " released, keep both with \(Self.renumbering(path))")
    }
    var start = before
    var obstacle: String?
    if base == nil {
      switch predecessor() {
      case .model(let model): start = model
      case .nothing: break
      // What one side alone has, the other may have removed.
      case .unknown: obstacle = "git doesn't say which version both were made from"
      }
    }
    if obstacle == nil {
      do {
        self = try Self(base: start, ours: mine, theirs: yours, path: path, remarks: remarks)
        return
      } catch {
        obstacle = (error as? EvolutionError)?.description ?? Self.reason(error, path)
      }
    }
    let merge = try GitTextMerge(
      base: base ?? Data(), ours: ours, theirs: theirs, keepingFormOf: path)
    let message = "they can't be merged as models (\(obstacle ?? "")); merged as text"
    // Without a marker, the next commit would lose a side.
    let marks = merge.hasConflicts ? Data() : Data(Self.marks([message]).utf8)
    (contents, hasConflicts) = (marks + merge.text, true)
    self.remarks = remarks + [message]
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
      // Both sides can be compiled, so the merge must be as well; and it must say what was merged.
      let errors = Self.errors(in: writer.data, path, expected: merge.model)
      self.remarks += errors
      let text = errors.isEmpty ? writer.xml : Self.marks(errors) + writer.xml
      (contents, hasConflicts) = (writer.form.data(of: text), !errors.isEmpty)
      return
    }
    // On the side that removed what the other changed, it is gone.
    let main = try ModelMerge(
      base: start ?? NSManagedObjectModel(), ours: mine, theirs: yours, removesOurs: true)
    let chosen = SourceWriter(merged: main.model, base: start, theirs: yours, names: main.names)
    let swapped = try ModelMerge(
      base: start ?? NSManagedObjectModel(), ours: yours, theirs: mine, removesOurs: true)
    let other = try ModelDifference(from: merge.model, to: swapped.model).applied(to: merge.model)
    let names = swapped.names
    let rival = SourceWriter(
      merged: other, base: start, theirs: yours,
      names: MergedNames(base: names.base, ours: names.theirs, theirs: names.ours),
      prefersTheirs: true)
    let marked = try GitTextMerge(
      base: Data(), ours: Data(chosen.xml.utf8), theirs: Data(rival.xml.utf8))
    // Conflicts that don't show in any line are listed at the top.
    let unseen =
      marked.hasConflicts
      ? conflicts.filter { $0.taken == nil && $0.kind != .nameTaken } : conflicts
    let text = String(
      decoding: marked.hasConflicts ? marked.text : Data(chosen.xml.utf8), as: UTF8.self)
    contents = writer.form.data(of: Self.marks(unseen.map(\.description)) + text)
    hasConflicts = true
  }

  /// Merges onto a base with conflicts: where branches have several common ancestors, git merges these first, and leaves
  /// its markers in the base. Either side of it can be the base, so the merge is clean only if that makes no difference.
  /// Nil if there are no markers, or a side of them can't be read.
  ///
  /// - Throws: An error of the file system, or of git.
  private init?(conflicted base: Data, ours: Data, theirs: Data, path: String) throws {
    let text = ConflictedText(base)
    let sides = ConflictedText.Side.allCases.compactMap { text.resolved(to: $0) }
    let bases = sides.map(Self.document)
    guard bases.count == 2, bases.allSatisfy({ (try? SourceModel(data: $0, path: path)) != nil })
    else { return nil }
    let merges = try bases.map { try Self(base: $0, ours: ours, theirs: theirs, path: path) }
    if let contested = merges.first(where: \.hasConflicts) {
      self = contested
      return
    }
    let message =
      "the branches have several common ancestors, which conflict, and the merge depends on them"
    // Conflicts that no line of the base shows make no difference here, but they may make one.
    let isHidden = bases[0] == bases[1] || bases != sides
    guard merges[0].contents != merges[1].contents || isHidden else {
      self = merges[0]
      return
    }
    let marked = try GitTextMerge(
      base: Data(), ours: merges[1].contents, theirs: merges[0].contents, keepingFormOf: path)
    contents = marked.hasConflicts ? marked.text : Data(Self.marks([message]).utf8) + marked.text
    hasConflicts = true
    remarks = merges[0].remarks + [message]
  }

  /// A document without the messages in front of it (``marks(_:)``).
  private static func document(_ text: Data) -> Data {
    let start = text.indices.first {
      text[$0] == UInt8(ascii: "<") && ($0 == text.startIndex || text[$0 - 1] == UInt8(ascii: "\n"))
    }
    return start.map { Data(text[$0...]) } ?? text
  }

  /// Why a merged file can't be compiled; empty if it can.
  ///
  /// - Parameter expected: The model that it must say; nil if it was merged as text.
  private static func errors(
    in contents: Data, _ path: String, expected: NSManagedObjectModel? = nil
  ) -> [String] {
    if let expected {
      return MergeConflict.misreadings(of: contents, as: expected, path: path).map(\.message)
    }
    do {
      _ = try SourceModel(data: contents, path: path)
      return []
    } catch {
      return Diagnostics.messages(for: error, path: path)
    }
  }

  /// The first error of a file that can't be read, rather than a warning before it.
  private static func reason(_ error: any Error, _ path: String) -> String {
    let first = (error as? ModelSourceError)?.diagnostics.first { $0.severity == .error }
    return first?.description ?? Diagnostics.messages(for: error, path: path).first ?? "\(error)"
  }

  /// The command that keeps both of two versions during a merge.
  private static func renumbering(_ path: String) -> String {
    let parts = path.components(separatedBy: ".xcdatamodeld/")
    guard parts.count == 2, let name = parts.first else { return "momtool merge --renumber" }
    let bundle = "\(name).xcdatamodeld"
    func quoted(_ text: String) -> String {
      text.allSatisfy { $0.isLetter || $0.isNumber || "/._-:".contains($0) }
        ? text : "'" + text.replacing(scalar: "'", with: "'\\''") + "'"
    }
    return "momtool merge --base \(quoted("git:1:\(bundle)")) --ours \(quoted("git:2:\(bundle)"))"
      + " --theirs \(quoted("git:3:\(bundle)")) --renumber -o \(quoted(bundle))"
  }

  /// Git's markers around messages; empty if there are none.
  private static func marks(_ messages: [String]) -> String {
    guard !messages.isEmpty else { return "" }
    return "<<<<<<< ours\n\(messages.joined(separator: "\n"))\n=======\n>>>>>>> theirs\n"
  }
}
