/// A rule that a model's source is checked against, named by the identifier that options such as
/// `--skip` take.
///
/// ```swift
/// let rule = SourceRule(rawValue: "missing-inverse")
/// print(rule?.summary ?? "no such rule")
/// ```
public struct SourceRule: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
  /// What a rule serves.
  public enum Group: String, Sendable, Hashable, CaseIterable, Codable {
    /// What the compiler needs, or warns about. Always checked.
    case compile
    /// What `NSPersistentCloudKitContainer` demands of a model.
    case cloudKit = "cloudkit"
    /// What keeps archived values safe.
    case security
  }

  /// The rule's identifier: small letters and hyphens.
  public let rawValue: String
  /// What the rule serves.
  public let group: Group
  /// The severity its findings have unless something else is said.
  public let severity: SourceDiagnostic.Severity
  /// What the rule finds, in one sentence.
  public let summary: String

  init(
    _ rawValue: String, _ severity: SourceDiagnostic.Severity, _ group: Group = .compile,
    _ summary: String
  ) {
    self.rawValue = rawValue
    self.severity = severity
    self.group = group
    self.summary = summary
  }

  /// The rule with an identifier; nil when there is none.
  public init?(rawValue: String) {
    guard let rule = Self.byIdentifier[rawValue] else { return nil }
    self = rule
  }

  /// The identifier.
  public var description: String { rawValue }

  /// Rules are equal when their identifiers are.
  public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  private static let byIdentifier = Dictionary(
    all.map { ($0.rawValue, $0) }, uniquingKeysWith: { first, _ in first })
}
