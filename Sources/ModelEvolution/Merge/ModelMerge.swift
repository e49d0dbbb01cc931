import DataModels

/// The three-way merge of models: what both sides changed since their common base, put together.
///
/// ```swift
/// let merge = try ModelMerge(base: released, ours: mine, theirs: yours)
/// if merge.conflicts.isEmpty { try save(merge.model) }
/// ```
///
/// Edits are merged fact by fact, so two sides may edit one attribute; user info, uniqueness
/// constraints and members of configurations merge entry by entry. Renames are found by renaming
/// identifier. Where two edits contradict each other there is a conflict, and the merged model has
/// ours (or keeps what only one side removed), so that it is valid in any case.
public struct ModelMerge {
  /// The merged model: a changed copy of ours.
  public let model: NSManagedObjectModel
  /// What contradicts each other, sorted by place; empty when the merge is clean.
  public let conflicts: [MergeConflict]
  /// What theirs brought: the difference from ours to the merged model.
  public let brought: ModelDifference
  /// What the entities and properties of the three models are called in the merged one.
  public let names: MergedNames

  /// Merges three models; none of them is changed.
  ///
  /// - Parameters:
  ///   - base: the model both sides started from; an empty model when there is none.
  ///   - ours: the model whose order and names win.
  ///   - theirs: the other one.
  /// - Throws: `EvolutionError` when a model contradicts itself so that nothing can be made of it.
  public init(
    base: NSManagedObjectModel, ours: NSManagedObjectModel, theirs: NSManagedObjectModel
  ) throws {
    let mine = ModelOutline(of: ours)
    let merge = OutlineMerge(
      base: ModelOutline(of: base), ours: mine, theirs: ModelOutline(of: theirs))
    let result = merge.outline()
    brought = ModelDifference(
      from: mine, to: result, matching: merge.matching(from: mine, to: result))
    names = merge.names()
    model = try brought.applied(to: ours)
    conflicts = (merge.conflicts() + Self.newErrors(in: model, ours, theirs)).sorted()
  }

  /// What is wrong with the merged model and with neither side.
  private static func newErrors(
    in merged: NSManagedObjectModel, _ ours: NSManagedObjectModel, _ theirs: NSManagedObjectModel
  ) -> [MergeConflict] {
    let errors = merged.findings().filter { $0.severity == .error }
    guard !errors.isEmpty else { return [] }
    let known = Set(ours.findings() + theirs.findings())
    return errors.filter { !known.contains($0) }.map { error in
      MergeConflict(
        .invalid, at: ModelPath(of: error), taken: nil,
        "neither side is wrong, but both together are: \(error.message)")
    }
  }
}

extension ModelPath {
  /// Where a finding is.
  fileprivate init(of finding: ModelFinding) {
    self =
      switch (finding.entity, finding.property) {
      case (let entity?, let property?): .property(property, of: entity)
      case (let entity?, nil): .entity(entity)
      default: .model
      }
  }
}
