import MomKit

/// What the library's own check of stores says.
extension Stack {
  /// The first finding in a store's files that no step may lead to.
  ///
  /// - Parameter leavesFiles: whether external files may be left that no row names: by whoever reads an earlier
  ///   state, and by a program that is ended in the middle.
  func finding(in store: Int, leavesFiles: Bool) throws -> StoreFinding? {
    try StoreCheck.findings(at: url(of: store), model: model).first { finding in
      switch finding.rule {
      // Contexts that write the two sides of a one-to-one may leave it one-sided.
      case .inverse: contexts.count == 1
      case .externalUnreferenced: !leavesFiles
      // A store isn't migrated when entities change that only others have, and records what they were.
      case .versionHashes: finding.subject.map { plan.store(of: $0) } == store
      case .memberCount: !mayHaveOtherCounts(finding)
      default: true
      }
    }
  }

  /// Whether a relationship may come to have too few members, or too many, without a save that validates it: by a
  /// deletion with a rule of no action on the other side, or by contexts that each change another member of a
  /// one-to-many, whose owner's row nobody writes.
  private func mayHaveOtherCounts(_ finding: StoreFinding) -> Bool {
    guard let relationship = finding.property.flatMap({ plan.relationship($0) }),
      let inverse = plan.inverse(of: relationship)
    else { return false }
    return inverse.rule == .noAction || !inverse.isToMany && contexts.count > 1
  }
}
