/// A change between two models from the perspective of migration: the rule that applies, and what to do.
///
/// ```swift
/// for finding in MigrationVerdict(from: shipped, to: next).findings {
///   print(finding.path, finding.message, finding.suggestion ?? "")
/// }
/// ```
public struct MigrationFinding: Hashable, Sendable {
  /// The rule that applies.
  public let rule: MigrationRule
  /// The path in the new model; for a removed element, in the old one.
  public let path: ModelPath
  /// The change and its outcome, in one sentence.
  public let message: String
  /// A suggested remedy; nil when none is needed.
  public let suggestion: String?

  init(_ rule: MigrationRule, at path: ModelPath, _ message: String, suggestion: String? = nil) {
    self.rule = rule
    self.path = path
    self.message = message
    self.suggestion = suggestion
  }
}

extension MigrationFinding {
  /// The finding in case the version hashes are equal and therefore nothing is migrated: renaming identifiers that swap
  /// names swap the names, but not the values.
  var withoutMigration: MigrationFinding {
    guard rule == .propertyRenamed || rule == .entityRenamed else { return self }
    return MigrationFinding(
      .renameWithoutEffect, at: path,
      "\(path) has the renaming identifier of another name, but the version hashes are equal, so no "
        + "migration runs: values stay under the names they were stored under",
      suggestion: "give what was renamed another hash modifier, so that stores are migrated")
  }
}

extension MigrationFinding: Comparable {
  /// Orders findings by severity, the worst first, then by path.
  public static func < (left: MigrationFinding, right: MigrationFinding) -> Bool {
    let (leftEffect, rightEffect) = (left.rule.effect, right.rule.effect)
    if leftEffect != rightEffect { return rightEffect < leftEffect }
    if left.path != right.path { return left.path < right.path }
    return (left.rule.rawValue, left.message) < (right.rule.rawValue, right.message)
  }
}
