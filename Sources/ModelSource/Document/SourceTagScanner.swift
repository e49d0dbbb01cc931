import Foundation

/// The places of every start tag and attribute of a document, in order.
///
/// FoundationXML tells only where a tag ends, and gives attributes as a dictionary; this light pass
/// over the bytes adds their order and places. It also refuses, before a parser sees them, document
/// types (and with them every kind of entity), other encodings and what is over the limits.
struct SourceTags {
  struct Tag {
    /// The offset of the `<`.
    var offset: Int
    /// Which of `attributes` belong to the tag.
    var attributes: Range<Int>
  }

  struct Attribute {
    /// The bytes of the name.
    var name: Range<Int>
    /// The bytes of the value.
    var value: Range<Int>
    /// Whether the value's bytes are its text: no reference is in them, and no white space that a
    /// parser makes a space of.
    var isPlain: Bool
  }

  var tags: [Tag] = []
  var attributes: [Attribute] = []
  var lines = LineTable()
}

/// Finds ``SourceTags``.
struct SourceTagScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let path: String
  private let limits: SourceLimits
  private var found = SourceTags()
  private var position = 0
  private var depth = 0
  /// Where the text begins, after a byte order mark.
  private var documentStart = 0

  static func scan(_ data: Data, path: String, limits: SourceLimits) throws -> SourceTags {
    guard data.count <= limits.documentBytes else {
      throw ModelSourceError(
        .xml, path: path,
        "the file has \(data.count) bytes; more than \(limits.documentBytes) are refused")
    }
    return try data.withUnsafeBytes { raw in
      var scanner = SourceTagScanner(
        bytes: raw.assumingMemoryBound(to: UInt8.self), path: path, limits: limits)
      try scanner.scan()
      return scanner.found
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, path: String, limits: SourceLimits) {
    self.bytes = bytes
    self.path = path
    self.limits = limits
  }

  // MARK: The document

  private mutating func scan() throws {
    try checkByteOrderMark()
    // FoundationXML traps on bytes that are no text, and in the names of namespaces: it must never
    // see either.
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw refusal("bytes that aren't UTF-8", at: 0)
    }
    while try findTag() {
      guard position + 1 < bytes.count else { throw refusal("the file ends inside a tag") }
      switch bytes[position + 1] {
      case UInt8(ascii: "?"): try skipInstruction()
      case UInt8(ascii: "!"): try skipDeclaration()
      case UInt8(ascii: "/"):
        depth -= 1
        try skip(to: ">", what: "tag")
      default: try readStartTag()
      }
    }
    try checkInstructions()
  }

  /// Refuses what libxml2 could take for a processing instruction where this doesn't: in an end tag, a
  /// comment or a section.
  private func checkInstructions() throws {
    var place = documentStart + 2
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "?"), bytes[place - 1] == UInt8(ascii: "<") {
        throw refusal("'<?' inside the document", at: place - 1)
      }
      place += 1
    }
  }

  private mutating func checkByteOrderMark() throws {
    let start = bytes.prefix(4)
    if start.starts(with: [0xEF, 0xBB, 0xBF]) {
      position = 3
      documentStart = 3
    } else if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE])
      || start.contains(0)
    {
      throw refusal("the text is not UTF-8 (it looks like UTF-16 or UTF-32); convert it to UTF-8")
    } else if start.isEmpty {
      throw refusal("the file is empty")
    }
  }

  /// Goes to the next `<`.
  private mutating func findTag() throws -> Bool {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "<"): return true
      case UInt8(ascii: "\n"): found.lines.lineFeed(at: position)
      case 0: throw refusal("a NUL byte; the file is not XML in UTF-8")
      default: break
      }
      position += 1
    }
    return false
  }

  // MARK: Tags

  private mutating func readStartTag() throws {
    let start = position
    let firstAttribute = found.attributes.count
    position += 1
    try skipPlainName()
    while true {
      skipSpace()
      guard position < bytes.count else { throw refusal("the file ends inside a tag", at: start) }
      let byte = bytes[position]
      if byte == UInt8(ascii: ">") {
        position += 1
        depth += 1
        break
      }
      if byte == UInt8(ascii: "/") {
        position += 1
        try skip(to: ">", what: "tag")
        break
      }
      try readAttribute()
      guard found.attributes.count - firstAttribute <= limits.attributesPerElement else {
        throw refusal(
          "more than \(limits.attributesPerElement) attributes in one element", at: start)
      }
    }
    guard depth <= limits.depth else {
      throw refusal("elements nested more than \(limits.depth) deep", at: start)
    }
    found.tags.append(
      SourceTags.Tag(offset: start, attributes: firstAttribute..<found.attributes.count))
    guard found.tags.count <= limits.elements else {
      throw refusal("more than \(limits.elements) elements", at: start)
    }
  }

  private mutating func readAttribute() throws {
    let start = position
    try skipPlainName()
    guard position > start else {
      throw refusal("a character that can't begin an attribute's name")
    }
    let name = start..<position
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
    var isPlain = true
    while position < bytes.count, bytes[position] != quote {
      let byte = bytes[position]
      if byte < 0x20 || byte == UInt8(ascii: "&") {
        isPlain = false
        if byte == UInt8(ascii: "\n") { found.lines.lineFeed(at: position) }
      }
      if byte == UInt8(ascii: "<") { throw refusal("'<' in an attribute's value") }
      position += 1
    }
    guard position < bytes.count else {
      throw refusal("the file ends inside an attribute's value", at: start)
    }
    guard position - valueStart <= limits.attributeBytes else {
      throw refusal("an attribute of more than \(limits.attributeBytes) bytes", at: start)
    }
    found.attributes.append(
      SourceTags.Attribute(name: name, value: valueStart..<position, isPlain: isPlain))
    position += 1
  }

  // MARK: What is not a tag

  private mutating func skipInstruction() throws {
    let start = position
    try skip(to: "?>", what: "processing instruction")
    // FoundationXML traps on an instruction without data, and libxml2 mends what stands where it
    // mustn't.
    guard start == documentStart, bytes[start...].starts(with: Array("<?xml".utf8)),
      start + 5 < position, isSpace(bytes[start + 5])
    else {
      throw refusal("processing instructions are not read; no model has them", at: start)
    }
    let declaration = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
    guard let keyword = declaration.firstRange(of: "encoding") else { return }
    let encoding = declaration[keyword.upperBound...].drop { $0 == " " || $0 == "=" }
      .dropFirst().prefix { $0 != "\"" && $0 != "'" }
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding) else {
      throw refusal("the encoding \(encoding) is not read; convert the file to UTF-8", at: start)
    }
  }

  private mutating func skipDeclaration() throws {
    let rest = bytes[position...]
    if rest.starts(with: Array("<!--".utf8)) {
      position += 4
      try skip(to: "-->", what: "comment")
    } else if rest.starts(with: Array("<![CDATA[".utf8)) {
      try skip(to: "]]>", what: "CDATA section")
    } else {
      throw refusal("document types and entities are not read; no model needs them")
    }
  }

  private mutating func skip(to end: StaticString, what: String) throws {
    let start = position
    let count = end.utf8CodeUnitCount
    let matches = UnsafeBufferPointer(start: end.utf8Start, count: count)
    while position + count <= bytes.count {
      if bytes[position] == matches[0],
        bytes[position..<(position + count)].elementsEqual(matches)
      {
        position += count
        return
      }
      if bytes[position] == UInt8(ascii: "\n") { found.lines.lineFeed(at: position) }
      position += 1
    }
    throw refusal("the file ends inside a \(what)", at: start)
  }

  private mutating func skipPlainName() throws {
    let start = position
    skipName()
    guard !bytes[start..<position].contains(UInt8(ascii: ":")) else {
      throw refusal(
        "a name with a colon; namespaces are not read, and no model has them", at: start)
    }
  }

  private mutating func skipName() {
    while position < bytes.count, !endsName(bytes[position]) { position += 1 }
  }

  private mutating func skipSpace() {
    while position < bytes.count, isSpace(bytes[position]) {
      if bytes[position] == UInt8(ascii: "\n") { found.lines.lineFeed(at: position) }
      position += 1
    }
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
  }

  private func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  private func endsName(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">")
      || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "<") || isQuote(byte)
  }

  private func refusal(_ message: String, at offset: Int? = nil) -> ModelSourceError {
    ModelSourceError(
      .xml, path: path, location: found.lines.location(of: offset ?? position), message)
  }
}
