/// Scans the tags and text of XML documents whose elements have a few short names: property lists and stores.
///
/// A document type is skipped, but one with declarations of its own is refused, so that no entities are expanded.
package struct XMLScanner {
  package enum Token: Equatable {
    case open(String, isEmpty: Bool)
    case close(String)
    case end
  }

  let bytes: [UInt8]
  package private(set) var offset = 0
  /// The offset of the last tag.
  package internal(set) var tagStart = 0
  /// The part of the last tag after its name.
  private(set) var attributeBytes = 0..<0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// Creates a scanner that starts in the middle of a document, at a tag.
  package init(_ bytes: [UInt8], from offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  package static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// The next tag, after white space, comments, instructions and the document type.
  package mutating func next() throws(PropertyListError) -> Token {
    while true {
      while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
      guard offset < bytes.count else { return .end }
      guard bytes[offset] == UInt8(ascii: "<") else { throw error("text where a tag should be") }
      if try skip("<!--", to: "-->") { continue }
      if try skip("<?", to: "?>") { continue }
      if looking(at: "<!") {
        try skipDocumentType()
        continue
      }
      return try tag()
    }
  }

  /// Returns the text up to the closing tag of an element, and skips that tag.
  package mutating func text(of element: String) throws(PropertyListError) -> String {
    var text: [UInt8] = []
    while true {
      guard offset < bytes.count else { throw error("<\(element)> is not closed") }
      let byte = bytes[offset]
      if byte == UInt8(ascii: "&") {
        text.append(contentsOf: try entity().utf8)
      } else if byte != UInt8(ascii: "<") {
        text.append(byte)
        offset += 1
      } else if looking(at: "<![CDATA[") {
        let start = offset + 9
        _ = try skip("<![CDATA[", to: "]]>")
        text.append(contentsOf: bytes[start..<offset - 3])
      } else if try !skip("<!--", to: "-->") {
        break
      }
    }
    guard case .close(element) = try tag() else { throw error("<\(element)> is not closed") }
    guard let string = String(validating: text, as: UTF8.self) else {
      throw error("<\(element)> contains bytes that aren't UTF-8")
    }
    return string
  }

  /// Skips text that is of no interest.
  mutating func skipText() throws(PropertyListError) {
    while offset < bytes.count {
      if bytes[offset] != UInt8(ascii: "<") {
        offset += 1
        continue
      }
      if try skip("<![CDATA[", to: "]]>") { continue }
      if try skip("<!--", to: "-->") { continue }
      if try !skip("<?", to: "?>") { return }
    }
  }

  func error(_ message: String) -> PropertyListError {
    PropertyListError(.malformedXML, message, offset: offset)
  }

  // MARK: Parts of markup

  private func looking(at text: String) -> Bool {
    bytes[offset...].starts(with: text.utf8)
  }

  /// Skips from one delimiter to another; returns `false` when the first is not here.
  private mutating func skip(_ start: String, to end: String) throws(PropertyListError) -> Bool {
    guard looking(at: start) else { return false }
    var at = offset + start.utf8.count
    let last = Array(end.utf8)
    while at + last.count <= bytes.count {
      if bytes[at] == last[0], bytes[at...].starts(with: last) {
        offset = at + last.count
        return true
      }
      at += 1
    }
    throw error("\(start) without \(end)")
  }

  private mutating func skipDocumentType() throws(PropertyListError) {
    guard looking(at: "<!DOCTYPE") else { throw error("an unknown declaration") }
    var at = offset
    while at < bytes.count, bytes[at] != UInt8(ascii: ">") {
      guard bytes[at] != UInt8(ascii: "[") else {
        throw error("a document type with declarations of its own; remove it")
      }
      at += 1
    }
    guard at < bytes.count else { throw error("<!DOCTYPE without >") }
    offset = at + 1
  }

  private mutating func tag() throws(PropertyListError) -> Token {
    guard let end = endOfTag() else { throw error("a tag without >") }
    tagStart = offset
    var body = bytes[offset + 1..<end]
    let isClosing = body.first == UInt8(ascii: "/")
    if isClosing { body.removeFirst() }
    let isEmpty = body.last == UInt8(ascii: "/")
    if isEmpty { body.removeLast() }
    let name = body.prefix { !Self.isSpace($0) }
    guard !name.isEmpty, name.count <= 16, name.allSatisfy({ $0 < 0x80 }) else {
      throw error("a tag whose name is none that is expected here")
    }
    attributeBytes = name.endIndex..<body.endIndex
    offset = end + 1
    let text = String(decoding: name, as: UTF8.self)
    return isClosing ? .close(text) : .open(text, isEmpty: isEmpty)
  }

  /// The offset of the end of the tag that begins here: a `>` outside quotes.
  private func endOfTag() -> Int? {
    var quote: UInt8?
    var at = offset
    while at < bytes.count {
      let byte = bytes[at]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: ">") {
        return at
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      at += 1
    }
    return nil
  }

  private mutating func entity() throws(PropertyListError) -> String {
    let (character, end) = try reference(at: offset)
    offset = end
    return String(character)
  }

  /// The character that a reference represents, and the offset of its end.
  func reference(
    at start: Int
  ) throws(PropertyListError) -> (character: Unicode.Scalar, end: Int) {
    guard let end = bytes[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw error("& without ;")
    }
    let name = String(decoding: bytes[start + 1..<end], as: UTF8.self)
    guard let character = XMLReference.character(name[...]) else {
      throw error("&\(name); is not known here")
    }
    return (character, end + 1)
  }
}
