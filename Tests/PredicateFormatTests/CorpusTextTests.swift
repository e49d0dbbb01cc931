import Foundation
import PredicateFormat
import TestSupport
import Testing

/// The predicates and expressions in the sources of real models.
@Suite struct CorpusTextTests {
  /// The distinct values of an attribute in all source documents of the corpus.
  private static func values(of attribute: String) -> [String] {
    var values: Set<String> = []
    for file in Corpus.files(ofKind: "model-source") {
      guard let text = try? String(contentsOf: file.url, encoding: .utf8) else { continue }
      for match in text.matches(of: #/([A-Za-z]+)="([^"]*)"/#)
      where match.output.1 == attribute {
        values.insert(unescaped(String(match.output.2)))
      }
    }
    return values.sorted()
  }

  private static func unescaped(_ text: String) -> String {
    [
      ("&quot;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&#10;", "\n"),
      ("&amp;", "&"),
    ]
    .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func `predicates of sources print stably`() throws {
    let texts = Self.values(of: "predicateString")
    #expect(!texts.isEmpty)
    for text in texts {
      let tree = try PredicateTree(parsing: text)
      let canonical = tree.canonicalFormat
      #expect(try PredicateTree(parsing: canonical).isEquivalent(to: tree), "\(text)")
      #expect(try PredicateTree(parsing: canonical).canonicalFormat == canonical)
      let source = tree.source
      #expect(source.arguments.isEmpty)
      #expect(try PredicateTree(parsing: source.format) == tree)
    }
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func `derivation expressions of sources print as written`() throws {
    let texts = Self.values(of: "derivationExpression")
    #expect(!texts.isEmpty)
    for text in texts {
      let tree = try ExpressionTree(parsing: text)
      #expect(tree.canonicalFormat == text)
      #expect(try ExpressionTree(parsing: tree.source.format) == tree)
    }
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func `regular expressions of sources are constants that can be matched`() throws {
    let patterns = Self.values(of: "regularExpressionString")
    #expect(!patterns.isEmpty)
    for pattern in patterns {
      let tree = PredicateTree.compare(
        .evaluatedObject, .matches, .constant(.string(pattern)))
      #expect(try PredicateTree(parsing: tree.canonicalFormat) == tree, "\(pattern)")
      _ = try tree.evaluate(with: "local")
    }
  }
}
