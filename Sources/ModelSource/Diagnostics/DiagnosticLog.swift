/// The subject of a diagnostic: an element, optionally one of its attributes, and the names of the entity and property.
struct DiagnosticSubject {
  var element: SourceElement
  var entity: String?
  var property: String?

  init(_ element: SourceElement, entity: String? = nil, property: String? = nil) {
    self.element = element
    self.entity = entity
    self.property = property
  }
}

/// Collects the diagnostics of one document, in the order in which they are found.
struct DiagnosticLog {
  let document: SourceDocument
  private(set) var diagnostics: [SourceDiagnostic] = []

  init(_ document: SourceDocument) {
    self.document = document
  }

  /// Whether an error was found.
  var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// Adds a diagnostic.
  ///
  /// - Parameters:
  ///   - attribute: The attribute of the subject's element to point at; nil for the element.
  ///   - severity: Overrides the rule's severity.
  mutating func add(
    _ rule: SourceRule, about subject: DiagnosticSubject, at attribute: String? = nil,
    severity: SourceDiagnostic.Severity? = nil, _ message: String
  ) {
    let location =
      attribute.map { document.location(of: $0, in: subject.element) }
      ?? document.location(of: subject.element)
    diagnostics.append(
      SourceDiagnostic(
        rule, severity: severity, path: document.path, location: location,
        entity: subject.entity, property: subject.property, message: message))
  }

  /// The diagnostics, sorted by location.
  var sorted: [SourceDiagnostic] {
    let first = SourceLocation(line: 0, column: 0)
    return diagnostics.enumerated().sorted {
      let (left, right) = ($0.element.location ?? first, $1.element.location ?? first)
      return (left, $0.offset) < (right, $1.offset)
    }.map(\.element)
  }
}
