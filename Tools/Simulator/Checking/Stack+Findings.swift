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
      default: true
      }
    }
  }
}
