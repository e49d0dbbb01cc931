import Foundation
import PropertyLists

/// Parses a document's tree in a single pass over its bytes, recording the location of every element and attribute.
///
/// The parser supports the XML that models need and rejects the rest: encodings other than UTF-8 and UTF-16, document
/// types (and therefore all entities), and namespaces. Processing instructions are kept like comments. It accepts only
/// well-formed XML 1.0, and supports everything else in it. It doesn't recurse, and ``SourceLimits`` bounds the cost of a
/// file.
struct SourceDocumentParser {
  /// An element whose end tag has not been reached yet.
  private struct OpenElement {
    var element: SourceElement
    /// The byte range of its name.
    var name: Range<Int>
  }

  /// The document in UTF-8.
  let bytes: [UInt8]
  /// The encoding of the file.
  let encoding: XMLEncoding
  let path: String
  let limits: SourceLimits
  let lines: LineTable
  var position = 0
  var names = InternedTexts()
  private var open: [OpenElement] = []
  /// The comments since the previous tag.
  private var comments: [String] = []
  private var elementCount = 0
  private var root: SourceElement?

  /// Parses a document.
  ///
  /// - Returns: The root element, the comments after it, the offsets of the lines, and the file's form.
  /// - Throws: ``ModelSourceError`` with the location of what isn't well-formed, or is rejected.
  static func parse(
    _ data: Data, path: String, limits: SourceLimits
  ) throws -> (SourceElement, comments: [String], LineTable, SourceForm) {
    try limits.check(byteCount: data.count, path: path)
    var bytes = Array(data)
    guard !LargeFilePointer.isPointer(bytes) else {
      throw ModelSourceError(
        .xml, path: path, "the file is a pointer, not a source\(LargeFilePointer.advice)")
    }
    let encoding = XMLEncoding(bytes)
    do {
      bytes = try encoding.utf8(bytes)
    } catch {
      throw ModelSourceError(
        .xml, path: path, location: SourceLocation(line: 1, column: 1), error.message)
    }
    let text = try SourceText(bytes, path: path)
    var parser = SourceDocumentParser(
      bytes: bytes, encoding: encoding, path: path, limits: limits, lines: text.lines,
      position: text.start)
    let root = try parser.parse()
    return (root, parser.comments, text.lines, SourceForm(encoding: encoding, utf8: bytes))
  }

  private init(
    bytes: [UInt8], encoding: XMLEncoding, path: String, limits: SourceLimits, lines: LineTable,
    position: Int
  ) {
    self.encoding = encoding
    self.bytes = bytes
    self.path = path
    self.limits = limits
    self.lines = lines
    self.position = position
  }

  // MARK: The document

  private mutating func parse() throws -> SourceElement {
    if isAt("<?xml"), position + 5 < bytes.count, isSpace(bytes[position + 5]) {
      try readXMLDeclaration()
    }
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "<") else {
        try readText()
        continue
      }
      guard position + 1 < bytes.count else { throw refusal("the file ends inside a tag") }
      switch bytes[position + 1] {
      case UInt8(ascii: "?"):
        try readInstruction()
      case UInt8(ascii: "!"): try readDeclaration()
      case UInt8(ascii: "/"): try readEndTag()
      case UInt8(ascii: "<") where isAt("<<<<<<<"):
        throw refusal("an unresolved conflict marked by git")
      default: try readElement()
      }
    }
    guard let root else { throw fault("the file ends too early") }
    return root
  }

  private mutating func readText() throws {
    let start = position
    let (text, isSpace) = try readCharacters()
    // White space between tags is the usual case, and isn't preserved.
    if isSpace, open.last?.element.text.isEmpty ?? true { return }
    guard !open.isEmpty else {
      throw fault("text outside the root element", at: start)
    }
    open[open.count - 1].element.text += try resolved(text, isAttribute: false)
  }

  /// Parses a comment or a CDATA section; rejects everything else that begins with `<!`.
  private mutating func readDeclaration() throws {
    let start = position
    if isAt("<!--") {
      let comment = try readComment()
      // Prevents it from being mistaken for a processing instruction.
      comments.append(comment.hasPrefix("<?") ? " " + comment : comment)
    } else if isAt("<![CDATA[") {
      try skip(past: "]]>", what: "CDATA section")
      guard !open.isEmpty else {
        throw fault("text outside the root element", at: start)
      }
      open[open.count - 1].element.text += text(at: start + 9..<position - 3)
    } else {
      throw refusal("document types and entities aren't supported; models don't need them")
    }
  }

  /// Reads a processing instruction, which has no meaning for a model, and adds it to the comments with its delimiters.
  private mutating func readInstruction() throws {
    let start = position
    try skip(past: "?>", what: "processing instruction")
    let end = position
    position = start + 2
    let target = String(decoding: bytes[try readName("a processing instruction")], as: UTF8.self)
    guard target.lowercased() != "xml" else {
      throw fault("an XML declaration that isn't at the beginning of the file", at: start)
    }
    guard isAt("?>") || skipSpace() else {
      throw fault("a space is missing after '\(target)'", at: start)
    }
    position = end
    comments.append(text(at: start..<end))
  }

  // MARK: Elements

  private mutating func readElement() throws {
    let start = position
    guard root == nil else { throw fault("a second root element", at: start) }
    let tag = try readStartTag()
    guard open.count + (tag.isEmpty ? 0 : 1) <= limits.depth else {
      throw refusal("elements nested more than \(limits.depth) deep", at: start)
    }
    elementCount += 1
    guard elementCount <= limits.elements else {
      throw refusal("more than \(limits.elements) elements", at: start)
    }
    var element = SourceElement(
      names.text(of: tag.name, in: bytes), tag.attributes, offset: start)
    if !comments.isEmpty {
      element.comments = comments
      comments = []
    }
    if tag.isEmpty {
      finish(element)
    } else {
      open.append(OpenElement(element: element, name: tag.name))
    }
  }

  private mutating func readEndTag() throws {
    let name = try readEndTagName()
    guard let last = open.popLast(), bytes[last.name] == bytes[name] else {
      throw fault("an end tag doesn't match the open element")
    }
    var element = last.element
    if !comments.isEmpty {
      element.innerComments = comments
      comments = []
    }
    if !element.text.isEmpty, element.text.allSatisfy(\.isWhitespace) { element.text = "" }
    finish(element)
  }

  private mutating func finish(_ element: SourceElement) {
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].element.children.append(element)
    }
  }

  // MARK: Errors

  /// Creates an error for malformed XML.
  func fault(_ reason: String, at offset: Int? = nil) -> ModelSourceError {
    refusal("the file is not well-formed XML: \(reason)", at: offset)
  }

  /// Creates an error at an offset, by default the current position.
  func refusal(_ message: String, at offset: Int? = nil) -> ModelSourceError {
    ModelSourceError(.xml, path: path, location: lines.location(of: offset ?? position), message)
  }
}
