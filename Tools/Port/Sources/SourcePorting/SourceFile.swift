import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A Swift source, parsed.
public struct SourceFile {
  /// Where it lies, from the package's folder.
  public let path: String
  /// Where it lies for a compiler that is to name it: the whole path.
  public let fullPath: String
  /// The module that it is compiled into.
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
    // Operators that a package declares itself have no place in the table: their operands stay as they stand.
    let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
    tree = folded.as(SourceFileSyntax.self) ?? parsed
    locations = SourceLocationConverter(fileName: path, tree: tree)
  }

  /// The line of a node's first token, from 1.
  func line(of node: some SyntaxProtocol) -> Int {
    locations.location(for: node.positionAfterSkippingLeadingTrivia).line
  }

  /// The line of an offset in the text's bytes, from 1.
  func line(at offset: Int) -> Int {
    locations.location(for: AbsolutePosition(utf8Offset: offset)).line
  }
}

extension SyntaxProtocol {
  /// The offsets of the node's own text, without what stands around it.
  var textRange: Range<Int> {
    let start = positionAfterSkippingLeadingTrivia.utf8Offset
    return start..<max(start, endPositionBeforeTrailingTrivia.utf8Offset)
  }
}
