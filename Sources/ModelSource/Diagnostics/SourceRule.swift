/// A rule against which a model's source is checked, identified by the name used with options such as `--skip`.
///
/// ```swift
/// let rule = SourceRule(rawValue: "missing-inverse")
/// print(rule?.summary ?? "no such rule")
/// ```
public struct SourceRule: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
  /// The purpose of a rule.
  public enum Group: String, Sendable, Hashable, CaseIterable, Codable {
    /// Required by the compiler, or a compiler warning. Always checked.
    case compile
    /// Required by `NSPersistentCloudKitContainer`.
    case cloudKit = "cloudkit"
    /// Ensures the safe decoding of archived values.
    case security
  }

  /// The rule's identifier, in lowercase letters and hyphens.
  public let rawValue: String
  /// The rule's purpose.
  public let group: Group
  /// The default severity of findings.
  public let severity: SourceDiagnostic.Severity
  /// The problem that the rule detects, in one sentence.
  public let summary: String

  init(
    _ rawValue: String, _ severity: SourceDiagnostic.Severity, in group: Group, summary: String
  ) {
    self.rawValue = rawValue
    self.severity = severity
    self.group = group
    self.summary = summary
  }

  /// Creates the rule with an identifier; nil when there is none.
  public init?(rawValue: String) {
    guard let rule = Self.byIdentifier[rawValue] else { return nil }
    self = rule
  }

  /// The identifier.
  public var description: String { rawValue }

  /// Rules are equal if their identifiers are equal.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  private static let byIdentifier = Dictionary(
    all.map { ($0.rawValue, $0) }, uniquingKeysWith: { first, _ in first })
}
