/// An error in reading or compiling a source, with all problems found in it.
///
/// ```swift
/// do {
///   _ = try SourceModel(contentsOf: url)
/// } catch let error as ModelSourceError {
///   for diagnostic in error.diagnostics { print(diagnostic) }
/// }
/// ```
public struct ModelSourceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The diagnostics, sorted by location: at least one error, and any warnings found as well.
  public var diagnostics: [SourceDiagnostic]

  /// Creates an error from diagnostics.
  public init(diagnostics: [SourceDiagnostic]) {
    self.diagnostics = diagnostics
  }

  /// Creates an error with a single diagnostic.
  init(_ rule: SourceRule, path: String, location: SourceLocation? = nil, _ message: String) {
    diagnostics = [
      SourceDiagnostic(
        rule, severity: .error, path: path, location: location, message: message)
    ]
  }

  /// The diagnostics, one per line.
  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
