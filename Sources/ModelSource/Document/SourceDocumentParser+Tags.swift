/// A start tag, or an empty-element tag.
struct SourceStartTag {
  /// The byte range of the name.
  var name: Range<Int>
  var attributes: [SourceAttribute]
  /// Whether the element ends with the tag.
  var isEmpty: Bool
}

extension SourceDocumentParser {
  /// Parses a start tag, at whose `<` the parser is positioned.
  mutating func readStartTag() throws -> SourceStartTag {
    let start = position
    position += 1
    let name = try readName("a tag")
    var tag = SourceStartTag(name: name, attributes: [], isEmpty: false)
    while true {
      let hasSpace = skipSpace()
      guard position < bytes.count else { throw refusal("the file ends inside a tag", at: start) }
      switch bytes[position] {
      case UInt8(ascii: ">"):
        position += 1
        return tag
      case UInt8(ascii: "/"):
        position += 1
        guard position < bytes.count else {
          throw refusal("the file ends inside a tag", at: start)
        }
        guard bytes[position] == UInt8(ascii: ">") else { throw fault("a '/' inside a tag") }
        position += 1
        tag.isEmpty = true
        return tag
      default:
        guard hasSpace else { throw fault("a space is missing between attributes") }
        let attribute = try readAttribute()
        guard !tag.attributes.contains(where: { $0.name == attribute.name }) else {
          throw fault("an attribute is given twice")
        }
        tag.attributes.append(attribute)
        guard tag.attributes.count <= limits.attributesPerElement else {
          throw refusal(
            "more than \(limits.attributesPerElement) attributes in one element", at: start)
        }
      }
    }
  }

  /// Parses an end tag, and returns the byte range of its name.
  mutating func readEndTagName() throws -> Range<Int> {
    let start = position
    position += 2
    let name = try readName("an end tag")
    skipSpace()
    guard position < bytes.count else { throw refusal("the file ends inside a tag", at: start) }
    guard bytes[position] == UInt8(ascii: ">") else {
      if isAt("<?") { throw refusal("'<?' inside the document") }
      throw fault("an end tag contains more than a name")
    }
    position += 1
    return name
  }

  private mutating func readAttribute() throws -> SourceAttribute {
    let start = position
    let name = try readName("an attribute")
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
      throw refusal("an attribute without a value", at: start)
    }
    position += 1
    skipSpace()
    guard position < bytes.count, isQuote(bytes[position]) else {
      throw refusal("an attribute's value without quotes", at: start)
    }
    let quote = bytes[position]
    position += 1
    let valueStart = position
    // Whether the value's bytes equal its text, without references, and without white space to normalize.
    var isPlain = true
    while position < bytes.count, bytes[position] != quote {
      let byte = bytes[position]
      if byte < 0x20 || byte == UInt8(ascii: "&") { isPlain = false }
      if byte == UInt8(ascii: "<") { throw refusal("'<' in an attribute's value") }
      position += 1
    }
    guard position < bytes.count else {
      throw refusal("the file ends inside an attribute's value", at: start)
    }
    let value = valueStart..<position
    guard value.count <= limits.attributeBytes else {
      throw refusal("an attribute of more than \(limits.attributeBytes) bytes", at: start)
    }
    position += 1
    return SourceAttribute(
      names.text(of: name, in: bytes),
      try isPlain ? text(at: value) : resolved(value, isAttribute: true), offset: start)
  }

  /// The encoding names that a declaration may use for the file's actual encoding. Editors that convert a file may
  /// leave the original name.
  private var encodingNames: Set<String> {
    let names: Set = ["utf-8", "utf8", "us-ascii", "ascii"]
    return encoding == .utf8 ? names : names.union(["utf-16", "utf-16le", "utf-16be"])
  }

  /// Parses `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`.
  mutating func readXMLDeclaration() throws {
    let start = position
    var tag = self
    tag.position += 5
    try skip(past: "?>", what: "processing instruction")
    var known = ["version", "encoding", "standalone"][...]
    while tag.skipSpace(), !tag.isAt("?>") {
      let attribute = try tag.readAttribute()
      guard let place = known.firstIndex(of: attribute.name) else {
        throw fault("the XML declaration contains '\(attribute.name)'", at: attribute.offset)
      }
      guard place == known.startIndex || known.first != "version" else { break }
      known = known[(place + 1)...]
      let isSound =
        switch attribute.name {
        case "version": attribute.value == "1.0"
        case "standalone": ["yes", "no"].contains(attribute.value)
        default: true
        }
      guard isSound else {
        throw fault(
          "the XML declaration's \(attribute.name) can't be '\(attribute.value)'",
          at: attribute.offset)
      }
      let encoding = attribute.value.lowercased()
      if attribute.name == "encoding", !encodingNames.contains(encoding) {
        throw refusal(
          "the encoding \(encoding) isn't supported; convert the file to UTF-8", at: start)
      }
    }
    guard known.first != "version" else {
      throw fault("the XML declaration has no version", at: start)
    }
    guard tag.position == position - 2 else {
      throw fault("the XML declaration contains unexpected text", at: tag.position)
    }
  }
}
