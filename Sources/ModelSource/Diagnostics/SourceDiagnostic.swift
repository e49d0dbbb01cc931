/// Something to say about a model's source: an error or a warning, with its place.
///
/// Printed as compilers do, so that editors and build systems find the place:
///
/// ```
/// Model.xcdatamodel/contents:7:9: error: [Person.pets] …
/// ```
public struct SourceDiagnostic: Sendable, Hashable, CustomStringConvertible {
  /// How serious a diagnostic is.
  public enum Severity: String, Sendable, Hashable, Codable {
    /// The source can't be compiled.
    case error
    /// The source can be compiled, but something is probably not as meant.
    case warning
  }

  /// The file.
  public var path: String
  /// The place in the file; nil when the diagnostic is about the whole file.
  public var location: SourceLocation?
  /// How serious it is.
  public var severity: Severity
  /// The rule that found it.
  public var rule: SourceRule
  /// The entity (or composite, configuration or fetch request) that it is about.
  public var entity: String?
  /// The property that it is about.
  public var property: String?
  /// What is wrong, and what to do.
  public var message: String

  /// Makes a diagnostic.
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

  /// `Entity.property`, `Entity`, or nil when the diagnostic is about neither.
  public var object: String? {
    guard let entity else { return property }
    return property.map { "\(entity).\($0)" } ?? entity
  }

  /// `path:line:column: severity: [Entity.property] text`.
  public var description: String {
    var text = path
    if let location { text += ":\(location)" }
    text += ": \(severity.rawValue): "
    if let object { text += "[\(object)] " }
    return text + message
  }
}
