import DataModels

/// Whether stores of one model migrate to another without a mapping model, and why or why not.
///
/// ```swift
/// let verdict = MigrationVerdict(from: shipped, to: next)
/// if verdict.outcome == .impossible {
///   for finding in verdict.findings where finding.rule.effect == .blocks { print(finding.message) }
/// }
/// ```
public struct MigrationVerdict: Sendable {
  /// What becomes of a store.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The version hashes are equal: the store opens as it is.
    case notNeeded = "not-needed"
    /// A mapping is inferred and every store migrates.
    case lightweight
    /// A mapping is inferred, but stores that hold certain data fail.
    case failsWithData = "fails-with-data"
    /// No mapping is inferred: it takes a mapping model or stages.
    case impossible
  }

  /// What becomes of a store.
  public let outcome: Outcome
  /// What changed, the worst first.
  public let findings: [MigrationFinding]

  /// Judges two models; neither is changed.
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
