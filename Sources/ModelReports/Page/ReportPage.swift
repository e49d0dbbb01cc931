import Foundation
import ModelEvolution
import ModelListing

/// A report as a single HTML page that contains the drawing, data, style and script. It doesn't access the network, and
/// the output is deterministic.
///
/// ```swift
/// let page = ReportPage(report, schema: ModelSchema(model))
/// try page.html().write(to: url, atomically: true, encoding: .utf8)
/// ```
///
/// Strings from models are embedded in the page as data and displayed as text: a name can't end a script or be
/// interpreted as markup.
public struct ReportPage: Sendable {
  /// The most attributes shown in an entity's box; the page lists the others beside the drawing.
  static let attributeLimit = 14

  /// The contents of the page.
  public let report: ReportData
  private let diagram: ModelDiagram?

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - report: The contents of the page.
  ///   - schema: The model to draw; nil for no drawing.
  public init(_ report: ReportData, schema: ModelSchema?) {
    self.init(report, diagram: schema.map(Self.diagram))
  }

  /// Creates a page with a diagram from ``diagram(of:)``.
  package init(_ report: ReportData, diagram: ModelDiagram?) {
    self.report = report
    self.diagram = diagram
  }

  /// Returns the diagram of a model as pages show it.
  package static func diagram(of schema: ModelSchema) -> ModelDiagram {
    ModelDiagram(schema, attributeLimit: attributeLimit)
  }

  /// Returns the page as HTML.
  ///
  /// - Throws: `EncodingError`; never for a valid report.
  public func html() throws -> String { try html(servedWith: nil) }

  /// Returns the content security policy for a page from ``html(servedWith:)``: only its own script, and only its own
  /// server.
  package static func policy(nonce: String) -> String {
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-\(nonce)'; img-src 'self' data:; "
      + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  }

  /// Returns the page as HTML for a server that answers its script's requests for rows and objects of a store.
  ///
  /// - Parameter nonce: the nonce in ``policy(nonce:)`` that identifies the page's script, or nil for a standalone
  ///   page.
  package func html(servedWith nonce: String?) throws -> String {
    let title = MarkupText.escaped(report.title)
    let policy =
      nonce.map(Self.policy)
      ?? "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    // `frame-ancestors` is only allowed in the header.
    let stated = policy.replacingOccurrences(of: "; frame-ancestors 'none'", with: "")
    let mark = nonce.map { " nonce=\"\($0)\"" } ?? ""
    let (drawing, json) = concurrently({ self.drawing }, { Result { try report.embeddedJSON() } })
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="generator" content="momtool report">
      <meta http-equiv="Content-Security-Policy" content="\(stated)">
      \(nonce == nil ? "" : "<link rel=\"icon\" href=\"data:,\">")
      <title>\(title)</title>
      <style>
      \(DiagramStyle.colors)
      \(DiagramStyle.drawing)
      \(ReportStyle.page)
      \(ReportStyle.parts)
      </style>
      </head>
      <body\(nonce == nil ? "" : " data-live")>
      <a class="skip" href="#main">Skip to content</a>
      <header id="top">
      <h1><bdi>\(title)</bdi></h1>
      <nav id="tabs" aria-label="Parts of the report"></nav>
      <div class="tools"><button id="theme" type="button" aria-label="Light or dark">◐</button></div>
      </header>
      <div id="frame">
      <aside id="side" aria-label="Search and entities">
      <div class="find" role="search"><label class="hidden" for="search">Search all names</label>\
      <input id="search" type="search" autocomplete="off" spellcheck="false" \
      placeholder="Search all names" aria-keyshortcuts="/"><kbd aria-hidden="true">/</kbd></div>
      <p id="found" class="hidden" role="status"></p>
      <nav id="list" aria-label="Entities"></nav>
      </aside>
      <main id="main" tabindex="-1">
      <noscript><p class="note">The parts of this page other than the drawing need JavaScript, all of which is in \
      this file.</p></noscript>
      <section id="drawing" aria-label="Diagram">\(drawing)</section>
      <div id="view"></div>
      </main>
      </div>
      <div id="print"></div>
      <script type="application/json" id="data">\(try json.get())</script>
      <script\(mark)>
      "use strict";
      (() => {
      \(ReportScript.core)
      \(ReportScript.navigation)
      \(ReportScript.diagram)
      \(ReportScript.entities)
      \(ReportScript.versions)
      \(ReportScript.store)
      \(nonce == nil ? "" : ReportScript.browsing)
      \(ReportScript.start)
      })();
      </script>
      </body>
      </html>

      """
  }

  private var drawing: String {
    guard let diagram, !diagram.boxes.isEmpty else { return "" }
    // Zoomed out, only names are shown, so the rest doesn't have to be rendered initially.
    let distant = diagram.boxes.count > 40 ? " distant" : ""
    return """
      <svg class="diagram\(distant)" role="img" aria-labelledby="drawn" viewBox="\(diagram.viewBox)" \
      preserveAspectRatio="xMidYMid meet"><title id="drawn">Diagram: \
      \(MarkupText.escaped(diagram.description)). The list of entities says the same in text.</title>
      \(diagram.content(withFarNames: true))
      </svg>
      """
  }
}
