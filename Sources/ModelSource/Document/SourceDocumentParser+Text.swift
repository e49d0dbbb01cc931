import PropertyLists

extension SourceDocumentParser {
  /// Parses the text up to the next tag.
  ///
  /// - Returns: Its byte range, and whether it consists of white space only.
  mutating func readCharacters() throws -> (text: Range<Int>, isSpace: Bool) {
    let start = position
    var isSpace = true
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
      let byte = bytes[position]
      if byte > 0x20 { isSpace = false }
      if byte == UInt8(ascii: ">"), position - start >= 2,
        bytes[position - 1] == UInt8(ascii: "]"), bytes[position - 2] == UInt8(ascii: "]")
      {
        throw fault("']]>' outside of a CDATA section", at: position - 2)
      }
      position += 1
    }
    return (start..<position, isSpace)
  }

  /// Parses a comment, at whose `<` the parser is positioned, and returns the text between its delimiters.
  mutating func readComment() throws -> String {
    let start = position
    position += 4
    try skip(past: "--", what: "comment")
    guard position < bytes.count else { throw refusal("the file ends inside a comment", at: start) }
    guard bytes[position] == UInt8(ascii: ">") else {
      throw fault("'--' inside a comment", at: position - 2)
    }
    position += 1
    return text(at: start + 4..<position - 3)
  }

  /// The text of bytes without references, with line endings normalized to line feeds.
  func text(at range: Range<Int>) -> String {
    let bytes = bytes[range]
    guard bytes.contains(0x0D) else { return String(decoding: bytes, as: UTF8.self) }
    return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
      .replacing("\r", with: "\n")
  }

  /// The text of bytes, with references resolved and white space normalized according to XML.
  func resolved(_ range: Range<Int>, isAttribute: Bool) throws -> String {
    if !isAttribute, !bytes[range].contains(where: { $0 == UInt8(ascii: "&") || $0 == 0x0D }) {
      return String(decoding: bytes[range], as: UTF8.self)
    }
    var text: [UInt8] = []
    text.reserveCapacity(range.count)
    var place = range.lowerBound
    while place < range.upperBound {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "&"):
        let (character, end) = try reference(at: place, before: range.upperBound)
        text.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
        place = end
      case 0x0D:
        if place < range.upperBound, bytes[place] == 0x0A { place += 1 }
        text.append(isAttribute ? 0x20 : 0x0A)
      case 0x09 where isAttribute, 0x0A where isAttribute: text.append(0x20)
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The character for the reference whose name begins at an offset, and the offset after the reference.
  private func reference(
    at start: Int, before end: Int
  ) throws -> (character: Unicode.Scalar, end: Int) {
    var stop = start
    while stop < end, bytes[stop] == UInt8(ascii: "#") || isNameByte(bytes[stop]) { stop += 1 }
    guard stop > start, stop < end, bytes[stop] == UInt8(ascii: ";") else {
      throw fault("an '&' that doesn't begin a reference", at: start - 1)
    }
    let name = String(decoding: bytes[start..<stop], as: UTF8.self)
    guard let character = XMLReference.character(name[...]), !name.hasPrefix("#X") else {
      throw fault(
        name.hasPrefix("#")
          ? "a reference to a character that doesn't exist"
          : "a reference to an entity that isn't defined", at: stop + 1)
    }
    guard SourceText.isAllowed(character) else {
      throw fault("a reference to a character that XML forbids", at: stop + 1)
    }
    return (character, stop + 1)
  }

  // MARK: Bytes

  /// Parses a required name.
  ///
  /// - Parameter owner: What has the name, for the error message.
  mutating func readName(_ owner: StaticString) throws -> Range<Int> {
    let start = position
    while position < bytes.count, isNameByte(bytes[position]) { position += 1 }
    guard position > start, isNameStart(bytes[start]) else {
      throw refusal("a character that can't begin \(owner)'s name", at: start)
    }
    guard !bytes[start..<position].contains(UInt8(ascii: ":")) else {
      throw refusal(
        "a name with a colon; namespaces aren't supported, and models don't use them", at: start)
    }
    return start..<position
  }

  /// Whether the text at the current position begins with a delimiter.
  func isAt(_ mark: StaticString) -> Bool {
    guard position + mark.utf8CodeUnitCount <= bytes.count else { return false }
    return mark.withUTF8Buffer { bytes[position..<position + $0.count].elementsEqual($0) }
  }

  /// Advances past the next occurrence of a delimiter.
  mutating func skip(past mark: StaticString, what: String) throws {
    let start = position
    let first = mark.withUTF8Buffer { $0[0] }
    while position < bytes.count {
      if bytes[position] == first, isAt(mark) {
        position += mark.utf8CodeUnitCount
        return
      }
      position += 1
    }
    throw refusal("the file ends inside a \(what)", at: start)
  }

  /// Skips white space; returns whether there was any.
  @discardableResult mutating func skipSpace() -> Bool {
    let start = position
    while position < bytes.count, isSpace(bytes[position]) { position += 1 }
    return position > start
  }

  func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
  }

  func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  /// Whether a byte may be part of a name. Nearly all letters beyond ASCII are allowed, so these are not distinguished.
  private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...:
      true
    default: false
    }
  }

  private func isNameStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): false
    default: isNameByte(byte)
    }
  }
}

/// Caches strings that occur repeatedly in a document, found by their bytes.
struct InternedTexts {
  private static let count = 256
  private var texts = [String](repeating: "", count: count)

  /// Returns the string for a range of UTF-8 bytes.
  mutating func text(of range: Range<Int>, in bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer { bytes in
      let bytes = UnsafeBufferPointer(rebasing: bytes[range])
      var hash: UInt32 = 0
      for byte in bytes { hash = hash &* 31 &+ UInt32(byte) }
      let place = Int(hash % UInt32(Self.count))
      let known = texts[place].utf8.withContiguousStorageIfAvailable {
        $0.count == bytes.count && $0.elementsEqual(bytes)
      }
      if known == true { return texts[place] }
      let text = String(decoding: bytes, as: UTF8.self)
      // Replaces a string with the same hash: the cache affects only performance.
      texts[place] = text
      return text
    }
  }
}
