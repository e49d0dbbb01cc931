import DataModels

/// Whether stores of one model can be migrated to another without a mapping model, and the reasons.
///
/// ```swift
/// let verdict = MigrationVerdict(from: shipped, to: next)
/// if verdict.outcome == .impossible {
///   for finding in verdict.findings where finding.rule.effect == .blocks { print(finding.message) }
/// }
/// ```
public struct MigrationVerdict: Sendable {
  /// The outcome for a store.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The version hashes are equal: the store opens without migration.
    case notNeeded = "not-needed"
    /// A mapping is inferred and every store can be migrated.
    case lightweight
    /// A mapping is inferred, but stores with certain data can't be migrated.
    case failsWithData = "fails-with-data"
    /// No mapping can be inferred: a mapping model or stages are needed.
    case impossible
  }

  /// The outcome for a store.
  public let outcome: Outcome
  /// The changes, the worst first.
  public let findings: [MigrationFinding]

  /// Analyses two models, which are not modified.
  public init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
    self.init(
      from: VisibleProperties(of: ModelOutline(of: old)),
      to: VisibleProperties(of: ModelOutline(of: new)),
      hashesAreEqual: old.entityVersionHashesByName == new.entityVersionHashesByName)
  }

  init(from old: VisibleProperties, to new: VisibleProperties, hashesAreEqual: Bool) {
    var analysis = MigrationAnalysis(InferredMatching(from: old, to: new))
    analysis.run()
    findings = (hashesAreEqual ? analysis.findings.map(\.withoutMigration) : analysis.findings)
      .sorted()
    let worst = findings.map(\.rule.effect).max() ?? .keeps
    outcome =
      if hashesAreEqual {
        .notNeeded
      } else if worst == .blocks {
        .impossible
      } else if worst == .failsWithData {
        .failsWithData
      } else {
        .lightweight
      }
  }
}
