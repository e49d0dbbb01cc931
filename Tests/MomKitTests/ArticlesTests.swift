import Foundation
import TestSupport
import Testing

/// Every example of every article is among those that tests run.
@Suite struct ArticlesTests {
  private static let sources = ["ArticleExamples", "ObjectArticleExamples"]

  static func articles() throws -> [String] {
    let root = Corpus.packageRoot.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? [])
      .filter { $0.pathExtension == "md" && $0.deletingLastPathComponent().pathExtension == "docc" }
      .map(\.path).filter { !Self.areTestedElsewhere.contains(($0 as NSString).lastPathComponent) }
      .sorted()
  }

  /// Articles that show fragments rather than whole programs; the suites of their modules run similar code.
  private static let areTestedElsewhere: Set = [
    "PredicateFormat.md", "PredicatesOnLinux.md", "ModelListing.md", "ModelSchemaReference.md",
    "ModelReports.md", "RelationalSchemas.md",
    "PortingAPackage.md",
  ]

  @Test func thereAreArticles() throws { #expect(try Self.articles().count > 15) }

  /// Every line of Swift in the article is in a source of examples, in the same order.
  @Test(arguments: try articles()) func examplesAreTheOnesThatRun(path: String) throws {
    let article = try String(contentsOfFile: path, encoding: .utf8)
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let sources = try Self.sources.map { name in
      Self.lines(
        try String(
          contentsOf: folder.appendingPathComponent("\(name).swift"), encoding: .utf8))
    }
    let blocks = article.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    for block in blocks {
      let lines = Self.lines(block).filter { !$0.hasPrefix("import ") }
      let isThere = sources.contains { source in
        source.indices.contains { start in source[start...].starts(with: lines) }
      }
      #expect(isThere, "not among the examples:\n\(block)")
    }
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}
