/// A problem found by a model check.
///
/// ```swift
/// for finding in model.findings() where finding.severity == .error {
///   print(finding)
/// }
/// ```
public struct ModelFinding: Hashable, Sendable, CustomStringConvertible {
  /// The severity of a finding.
  public enum Severity: String, Sendable, CaseIterable, Comparable {
    /// Legal, but probably unintended.
    case warning
    /// Core Data wouldn't load or use the model.
    case error

    /// Orders warnings before errors.
    public static func < (left: Severity, right: Severity) -> Bool {
      left == .warning && right == .error
    }
  }

  /// Identifies a rule.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The rule's name, as used in machine-readable output.
    public let rawValue: String

    /// Creates a code from a rule's name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// The rule that is violated.
  public var code: Code
  /// The severity.
  public var severity: Severity
  /// The name of the entity, if the finding is about one.
  public var entity: String?
  /// The name of the property, index or constraint, if the finding is about one.
  public var property: String?
  /// What is wrong.
  public var message: String
  /// What to do about it.
  public var hint: String?

  /// Creates a finding.
  public init(
    code: Code, severity: Severity = .error, entity: String? = nil, property: String? = nil,
    message: String, hint: String? = nil
  ) {
    self.code = code
    self.severity = severity
    self.entity = entity
    self.property = property
    self.message = message
    self.hint = hint
  }

  /// `error: [Entity.property] message (hint)`.
  public var description: String {
    let place = [entity, property].compactMap { $0 }.joined(separator: ".")
    let subject = place.isEmpty ? "" : "[\(place)] "
    return "\(severity.rawValue): \(subject)\(message)" + (hint.map { " (\($0))" } ?? "")
  }
}
