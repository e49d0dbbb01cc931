import Foundation
import FoundationXML

/// Builds the tree of a document from FoundationXML's events and the places that
/// ``SourceTagScanner`` found.
final class SourceDocumentParser: NSObject, XMLParserDelegate {
  /// `XMLParser(data:)` refuses more than ten million bytes; a stream has no such limit.
  private static let largestWholeDocument = 8 << 20

  private let bytes: [UInt8]
  private let scan: SourceTags
  @exclusivity(unchecked) private var names = KnownTexts()
  @exclusivity(unchecked) private var nextTag = 0
  @exclusivity(unchecked) private var open: [SourceElement] = []
  @exclusivity(unchecked) private var comments: [String] = []
  private var root: SourceElement?
  /// Where the first error was; the parser itself stands at the end afterwards.
  private var failure: SourceLocation?

  static func parse(_ data: Data, scan: SourceTags, path: String) throws -> SourceElement {
    let delegate = SourceDocumentParser(data: data, scan: scan)
    let parser =
      data.count > largestWholeDocument
      ? XMLParser(stream: InputStream(data: data)) : XMLParser(data: data)
    parser.delegate = delegate
    parser.shouldResolveExternalEntities = false
    // libxml2 mends what it can, and FoundationXML then calls it a success.
    guard parser.parse(), delegate.failure == nil, let root = delegate.root else {
      throw ModelSourceError(
        .xml, path: path,
        location: delegate.failure
          ?? SourceLocation(
            line: max(1, parser.lineNumber), column: max(1, parser.columnNumber)),
        "the file is not well-formed XML\(reason(parser.parserError))")
    }
    return root
  }

  private init(data: Data, scan: SourceTags) {
    bytes = Array(data)
    self.scan = scan
  }

  /// What libxml2's code means, for the codes that damaged files give; Foundation has no texts.
  private static func reason(_ error: (any Error)?) -> String {
    guard let code = (error as NSError?)?.code else { return "" }
    switch code {
    case 4, 5: return ": it ends too early"
    case 9: return ": a character that XML forbids, or bytes that aren't UTF-8"
    case 26, 27, 28: return ": a reference to an entity that isn't defined"
    case 41: return ": a space is missing between attributes"
    case 42: return ": an attribute is given twice"
    case 76: return ": an end tag doesn't match the open element"
    case 77: return ": an element isn't closed"
    default: return " (libxml2 error \(code))"
    }
  }

  // MARK: Events

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    var found: [SourceAttribute] = []
    var offset: Int?
    if nextTag < scan.tags.count {
      let tag = scan.tags[nextTag]
      offset = tag.offset
      found.reserveCapacity(tag.attributes.count)
      for attribute in scan.attributes[tag.attributes] {
        let name = names.text(of: attribute.name, in: bytes)
        guard let value = attribute.isPlain ? text(at: attribute.value) : attributes[name] else {
          continue
        }
        found.append(SourceAttribute(name, value, offset: attribute.name.lowerBound))
      }
    }
    var element = SourceElement(qualifiedName ?? name, found, offset: offset)
    if !comments.isEmpty {
      element.comments = comments
      comments = []
    }
    nextTag += 1
    open.append(element)
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard var element = open.popLast() else { return }
    if !comments.isEmpty {
      element.innerComments = comments
      comments = []
    }
    if !element.text.isEmpty, element.text.allSatisfy(\.isWhitespace) { element.text = "" }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    guard !open.isEmpty else { return }
    // White space between tags is the usual case, and not worth keeping.
    if open[open.count - 1].text.isEmpty, string.utf8.allSatisfy({ $0 <= 0x20 }) { return }
    open[open.count - 1].text += string
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    guard !open.isEmpty else { return }
    open[open.count - 1].text += String(decoding: block, as: UTF8.self)
  }

  func parser(_ parser: XMLParser, foundComment comment: String) {
    comments.append(comment)
  }

  func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
    failure =
      failure
      ?? SourceLocation(line: max(1, parser.lineNumber), column: max(1, parser.columnNumber))
  }

  private func text(at range: Range<Int>) -> String {
    // A scanned range lies within the document.
    bytes.withUnsafeBufferPointer { String(decoding: $0[range], as: UTF8.self) }
  }
}
