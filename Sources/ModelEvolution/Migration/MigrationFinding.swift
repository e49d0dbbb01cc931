/// One change between two models as migration sees it: the rule it falls under, and what to do.
public struct MigrationFinding: Hashable, Sendable {
  /// The rule it falls under.
  public let rule: MigrationRule
  /// Where it is in the new model; in the old one for what is gone.
  public let path: ModelPath
  /// What changed and how it ends, in one sentence.
  public let message: String
  /// What would help; nil when nothing needs help.
  public let suggestion: String?

  init(_ rule: MigrationRule, at path: ModelPath, _ message: String, suggestion: String? = nil) {
    self.rule = rule
    self.path = path
    self.message = message
    self.suggestion = suggestion
  }
}

extension MigrationFinding {
  /// The finding where the version hashes are equal and so nothing is migrated: names that were
  /// exchanged by renaming identifiers are exchanged, but what they stand for isn't.
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
  /// The worst come first, then they go by place.
  public static func < (left: MigrationFinding, right: MigrationFinding) -> Bool {
    (right.rule.effect, left.path, left.rule.rawValue, left.message)
      < (left.rule.effect, right.path, right.rule.rawValue, right.message)
  }
}
