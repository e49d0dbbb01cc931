/// One thing that a check of a model found.
public struct ModelFinding: Hashable, Sendable, CustomStringConvertible {
  /// How bad it is.
  public enum Severity: String, Sendable, CaseIterable, Comparable {
    /// Legal, and probably not meant.
    case warning
    /// Core Data wouldn't load or use the model.
    case error

    /// A warning is less than an error.
    public static func < (left: Severity, right: Severity) -> Bool {
      left == .warning && right == .error
    }
  }

  /// Which rule is broken.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The rule's name, as machine-readable output shows it.
    public let rawValue: String

    /// Makes the code of this name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// Which rule is broken.
  public var code: Code
  /// How bad it is.
  public var severity: Severity
  /// The name of the entity, where the finding is about one.
  public var entity: String?
  /// The name of the property, index or constraint, where the finding is about one.
  public var property: String?
  /// What is wrong.
  public var message: String
  /// What to do about it.
  public var hint: String?

  /// Makes a finding.
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
