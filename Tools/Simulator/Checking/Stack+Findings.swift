import MomKit

/// The results of the library's own store check.
extension Stack {
  /// The first finding in a store's files that no step may cause.
  ///
  /// - Parameter leavesFiles: whether external files without a row are allowed: a reader of an earlier state keeps
  ///   them, and so does a process killed in the middle of a step.
  func finding(in store: Int, leavesFiles: Bool) throws -> StoreFinding? {
    try StoreCheck.findings(at: url(of: store), model: model).first { finding in
      switch finding.rule {
      // Several contexts that each write one side of a one-to-one relationship can leave it one-sided.
      case .inverse: contexts.count == 1
      case .externalUnreferenced: !leavesFiles
      // A change of entities in other stores doesn't migrate a store, so it keeps the old version hashes of these.
      case .versionHashes: finding.subject.map { plan.store(of: $0) } == store
      case .memberCount: !mayHaveOtherCounts(finding)
      default: true
      }
    }
  }

  /// Whether a relationship can end up with too few or too many members without a save that validates it: by a deletion
  /// with the rule "no action" on the other side, or by contexts that each change another member of a one-to-many
  /// relationship, none of which writes the owner's row.
  private func mayHaveOtherCounts(_ finding: StoreFinding) -> Bool {
    guard let relationship = finding.property.flatMap({ plan.relationship($0) }),
      let inverse = plan.inverse(of: relationship)
    else { return false }
    return inverse.rule == .noAction || !inverse.isToMany && contexts.count > 1
  }
}
