import DataModels
import Foundation

/// Formats diagnostics for people, scripts and GitHub.
///
/// ```swift
/// print(SourceDiagnosticListing(source.diagnostics).text)
/// ```
public struct SourceDiagnosticListing: Sendable {
  /// The version of the JSON format, which increases when something is added.
  public static let schemaVersion = 1

  /// The diagnostics.
  public var diagnostics: [SourceDiagnostic]

  /// Creates a listing of diagnostics in the given order.
  public init(_ diagnostics: [SourceDiagnostic]) {
    self.diagnostics = diagnostics
  }

  /// One line per diagnostic, in the format of compiler diagnostics, with the rule at the end.
  public var text: String {
    diagnostics.map { "\($0) (\($0.rule))\n" }.joined()
  }

  /// One GitHub workflow annotation per diagnostic.
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

  /// A JSON object with the schema version and an array of findings.
  ///
  /// - Throws: An encoding error, which can't occur for text that was read from a source.
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

  /// Escapes a value for a GitHub workflow command, which ends at the end of the line.
  private static func escaped(_ text: String) -> String {
    text.replacing(scalar: "%", with: "%25")
      .replacing(scalar: "\r", with: "%0D").replacing(scalar: "\n", with: "%0A")
  }

  private static func escapedProperty(_ text: String) -> String {
    escaped(text).replacing(scalar: ":", with: "%3A").replacing(scalar: ",", with: "%2C")
  }
}
