/// A source that can't be read or compiled, with everything that is wrong with it.
///
/// ```swift
/// do {
///   _ = try SourceModel(contentsOf: url)
/// } catch let error as ModelSourceError {
///   for diagnostic in error.diagnostics { print(diagnostic) }
/// }
/// ```
public struct ModelSourceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The diagnostics, in the order of the source: at least one error, and the warnings found on
  /// the way to it.
  public var diagnostics: [SourceDiagnostic]

  /// Makes an error from diagnostics.
  public init(diagnostics: [SourceDiagnostic]) {
    self.diagnostics = diagnostics
  }

  /// Makes an error of one diagnostic.
  init(_ rule: SourceRule, path: String, location: SourceLocation? = nil, _ message: String) {
    diagnostics = [
      SourceDiagnostic(
        rule, severity: .error, path: path, location: location, message: message)
    ]
  }

  /// The diagnostics, a line each.
  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
