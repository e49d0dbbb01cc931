import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A parsed Swift source.
public struct SourceFile {
  /// The path relative to the package's folder.
  public let path: String
  /// The full path, for compiler diagnostics.
  public let fullPath: String
  /// The module that the source belongs to.
  public let module: String
  let bytes: [UInt8]
  let tree: SourceFileSyntax
  let locations: SourceLocationConverter

  /// Parses a source.
  public init(path: String, fullPath: String, module: String, text: String) {
    self.path = path
    self.fullPath = fullPath
    self.module = module
    bytes = Array(text.utf8)
    let parsed = Parser.parse(source: text)
    // Operators that the package declares aren't in the table; their operands aren't folded.
    let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
    tree = folded.as(SourceFileSyntax.self) ?? parsed
    locations = SourceLocationConverter(fileName: path, tree: tree)
  }

  /// Returns the line number of a node's first token, starting from 1.
  func line(of node: some SyntaxProtocol) -> Int {
    locations.location(for: node.positionAfterSkippingLeadingTrivia).line
  }

  /// Returns the line number of a byte offset, starting from 1.
  func line(at offset: Int) -> Int {
    locations.location(for: AbsolutePosition(utf8Offset: offset)).line
  }
}

extension SyntaxProtocol {
  /// The byte range of the node's own text, without trivia.
  var textRange: Range<Int> {
    let start = positionAfterSkippingLeadingTrivia.utf8Offset
    return start..<max(start, endPositionBeforeTrailingTrivia.utf8Offset)
  }
}
