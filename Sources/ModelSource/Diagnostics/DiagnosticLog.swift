/// What a diagnostic is about: an element, perhaps one of its attributes, and the names around it.
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

/// Gathers the diagnostics of one document, in the order they are found.
struct DiagnosticLog {
  let document: SourceDocument
  private(set) var diagnostics: [SourceDiagnostic] = []

  init(_ document: SourceDocument) {
    self.document = document
  }

  /// Whether an error was found.
  var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// Adds a finding of a rule.
  ///
  /// - Parameters:
  ///   - attribute: The attribute of the subject's element to point at; nil for the element.
  ///   - severity: Another severity than the rule's.
  mutating func add(
    _ rule: SourceRule, _ subject: DiagnosticSubject, at attribute: String? = nil,
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

  /// The diagnostics in the order of their places.
  var sorted: [SourceDiagnostic] {
    let first = SourceLocation(line: 0, column: 0)
    return diagnostics.enumerated().sorted {
      let (left, right) = ($0.element.location ?? first, $1.element.location ?? first)
      return (left, $0.offset) < (right, $1.offset)
    }.map(\.element)
  }
}
