import Foundation

/// Diagnostics in the forms that people, scripts and GitHub read.
///
/// ```swift
/// print(SourceDiagnosticListing(source.diagnostics).text)
/// ```
public struct SourceDiagnosticListing: Sendable {
  /// The version of the JSON form. It grows when something is added, so that scripts can tell.
  public static let schemaVersion = 1

  /// The diagnostics.
  public var diagnostics: [SourceDiagnostic]

  /// Lists diagnostics, in the order given.
  public init(_ diagnostics: [SourceDiagnostic]) {
    self.diagnostics = diagnostics
  }

  /// A line each, as compilers print them, with the rule at the end.
  public var text: String {
    diagnostics.map { "\($0) (\($0.rule))\n" }.joined()
  }

  /// A line each, as GitHub's annotations of workflow runs.
  public var gitHubAnnotations: String {
    diagnostics.map { diagnostic in
      var fields = "file=\(Self.escapedProperty(diagnostic.path))"
      if let location = diagnostic.location {
        fields += ",line=\(location.line),col=\(location.column)"
      }
      fields += ",title=\(diagnostic.rule)"
      let object = diagnostic.object.map { "[\($0)] " } ?? ""
      return "::\(diagnostic.severity.rawValue) \(fields)::"
        + Self.escaped(object + diagnostic.message) + "\n"
    }.joined()
  }

  /// An object with the schema's version and an array of findings.
  ///
  /// - Throws: An encoding error, which text that was read can't cause.
  public func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let listing = Listing(
      schemaVersion: Self.schemaVersion, findings: diagnostics.map(Finding.init))
    return String(decoding: try encoder.encode(listing), as: UTF8.self) + "\n"
  }

  private struct Listing: Encodable {
    var schemaVersion: Int
    var findings: [Finding]
  }

  private struct Finding: Encodable {
    var path: String
    var line: Int?
    var column: Int?
    var severity: SourceDiagnostic.Severity
    var rule: String
    var entity: String?
    var property: String?
    var message: String

    init(_ diagnostic: SourceDiagnostic) {
      path = diagnostic.path
      line = diagnostic.location?.line
      column = diagnostic.location?.column
      severity = diagnostic.severity
      rule = diagnostic.rule.rawValue
      entity = diagnostic.entity
      property = diagnostic.property
      message = diagnostic.message
    }
  }

  /// GitHub reads the values of a workflow command up to the end of the line.
  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "%", with: "%25")
      .replacingOccurrences(of: "\r", with: "%0D").replacingOccurrences(of: "\n", with: "%0A")
  }

  private static func escapedProperty(_ text: String) -> String {
    escaped(text).replacingOccurrences(of: ":", with: "%3A")
      .replacingOccurrences(of: ",", with: "%2C")
  }
}
