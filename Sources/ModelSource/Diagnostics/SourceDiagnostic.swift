import PropertyLists

/// An error or warning about a model's source, with its location.
///
/// Its description has the format of compiler diagnostics, so that editors and build systems recognize the location:
///
/// ```
/// Model.xcdatamodel/contents:7:9: error: [Person.pets] …
/// ```
public struct SourceDiagnostic: Sendable, Hashable, CustomStringConvertible {
  /// The severity of a diagnostic.
  public enum Severity: String, Sendable, Hashable, Codable {
    /// The source can't be compiled.
    case error
    /// The source can be compiled, but something is probably unintended.
    case warning
  }

  /// The file.
  public var path: String
  /// The location in the file; nil when the diagnostic concerns the whole file.
  public var location: SourceLocation?
  /// The severity.
  public var severity: Severity
  /// The violated rule.
  public var rule: SourceRule
  /// The entity (or composite, configuration or fetch request) concerned.
  public var entity: String?
  /// The property concerned.
  public var property: String?
  /// What is wrong, and what to do about it.
  public var message: String

  /// Creates a diagnostic.
  public init(
    _ rule: SourceRule, severity: Severity? = nil, path: String,
    location: SourceLocation? = nil, entity: String? = nil, property: String? = nil,
    message: String
  ) {
    self.rule = rule
    self.severity = severity ?? rule.severity
    self.path = path
    self.location = location
    self.entity = entity.flatMap { $0.isEmpty ? nil : $0 }
    self.property = property.flatMap { $0.isEmpty ? nil : $0 }
    self.message = message
  }

  /// `Entity.property`, `Entity`, or nil when the diagnostic concerns neither.
  public var object: String? {
    guard let entity else { return property }
    return property.map { "\(entity).\($0)" } ?? entity
  }

  /// `path:line:column: severity: [Entity.property] text`, on one line whatever the names are.
  public var description: String {
    var text = path
    if let location { text += ":\(location)" }
    text += ": \(severity.rawValue): "
    if let object { text += "[\(object)] " }
    return DisplayText.bare(text + message)
  }
}
