import DataModels

/// The three-way merge of models, which combines the changes of both sides since their common base.
///
/// ```swift
/// let merge = try ModelMerge(base: released, ours: mine, theirs: yours)
/// if merge.conflicts.isEmpty { try save(merge.model) }
/// ```
///
/// Edits are merged fact by fact, so both sides may edit the same attribute; user info, uniqueness constraints and
/// members of configurations are merged entry by entry. Renames are identified by renaming identifier. Contradictory
/// edits are reported as a conflict, and the merged model has our edit (or keeps what only one side removed), so that
/// it is always valid.
public struct ModelMerge {
  /// The merged model: a modified copy of ours.
  public let model: NSManagedObjectModel
  /// The conflicts, sorted by path; empty when the merge is clean.
  public let conflicts: [MergeConflict]
  /// Their contribution: the difference from our model to the merged one.
  public let brought: ModelDifference
  /// The names in the merged model of the three models' entities and properties.
  public let names: MergedNames

  /// Merges three models, none of which is modified.
  ///
  /// - Parameters:
  ///   - base: The common ancestor; an empty model when there is none.
  ///   - ours: The model whose order and names take precedence.
  ///   - theirs: The other model.
  /// - Throws: `EvolutionError` when a model is so inconsistent that it can't be merged.
  public init(
    base: NSManagedObjectModel, ours: NSManagedObjectModel, theirs: NSManagedObjectModel
  ) throws {
    try self.init(base: base, ours: ours, theirs: theirs, removesOurs: false)
  }

  /// Merges three models as one of two texts between which somebody will choose.
  ///
  /// - Parameter removesOurs: Whether what ours removed and theirs changed is gone from the merged model, unless it is
  ///   used by something else, rather than kept.
  package init(
    base: NSManagedObjectModel, ours: NSManagedObjectModel, theirs: NSManagedObjectModel,
    removesOurs: Bool
  ) throws {
    let mine = ModelOutline(of: ours)
    let merge = OutlineMerge(
      base: ModelOutline(of: base), ours: mine, theirs: ModelOutline(of: theirs),
      removesOurs: removesOurs)
    let result = merge.outline()
    brought = ModelDifference(
      from: mine, to: result, matching: merge.matching(from: mine, to: result))
    names = merge.names()
    model = try brought.applied(to: ours)
    conflicts = (merge.conflicts() + Self.newErrors(in: model, ours, theirs)).sorted()
  }

  /// The errors of the merged model that neither side has.
  private static func newErrors(
    in merged: NSManagedObjectModel, _ ours: NSManagedObjectModel, _ theirs: NSManagedObjectModel
  ) -> [MergeConflict] {
    let errors = merged.findings().filter { $0.severity == .error }
    guard !errors.isEmpty else { return [] }
    let known = Set(ours.findings() + theirs.findings())
    return errors.filter { !known.contains($0) }.map { error in
      MergeConflict(
        .invalid, at: ModelPath(of: error), taken: nil,
        "each side is valid, but together they aren't: \(error.message)")
    }
  }
}

extension ModelPath {
  /// The path of a finding.
  fileprivate init(of finding: ModelFinding) {
    self =
      switch (finding.entity, finding.property) {
      case (let entity?, let property?): .property(property, of: entity)
      case (let entity?, nil): .entity(entity)
      default: .model
      }
  }
}
