/// How a source is read.
public struct SourceReadingOptions: Sendable, Hashable {
  /// The module whose name replaces the leading point of a class's name (`.Person`); nil leaves the
  /// point, as momc without `--module` does.
  public var moduleName: String?
  /// The rule sets to check, in addition to what the compiler always checks.
  public var ruleGroups: Set<SourceRule.Group> = [.compile]
  /// Rules whose findings are left out, errors too.
  public var skippedRules: Set<SourceRule> = []
  /// How large a document may be.
  public var limits = SourceLimits.default

  /// Makes the options of a plain compilation.
  public init(moduleName: String? = nil) {
    self.moduleName = moduleName
  }
}
