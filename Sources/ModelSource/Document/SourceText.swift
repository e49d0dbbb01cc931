/// Validates the bytes of a document as UTF-8 and as XML characters, and records where lines begin.
struct SourceText {
  /// The offset of the text, after a byte order mark.
  let start: Int
  let lines: LineTable

  /// Scans a document's bytes.
  ///
  /// - Throws: ``ModelSourceError`` with the location of the first invalid byte.
  init(_ bytes: [UInt8], path: String) throws {
    func refusal(_ message: String, at offset: Int, _ lines: LineTable) -> ModelSourceError {
      ModelSourceError(.xml, path: path, location: lines.location(of: offset), message)
    }
    var lines = LineTable()
    start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let head = bytes.prefix(4)
    guard !head.isEmpty else { throw refusal("the file is empty", at: 0, lines) }
    guard !head.starts(with: [0xFE, 0xFF]), !head.starts(with: [0xFF, 0xFE]), !head.contains(0)
    else {
      throw refusal(
        "the text is not UTF-8 (it looks like UTF-16 or UTF-32); convert it to UTF-8", at: 0, lines)
    }
    for (offset, byte) in bytes.enumerated() where byte < 0x20 || byte == 0xEF {
      switch byte {
      case 0x0A: lines.lineFeed(at: offset)
      case 0x09, 0x0D: break
      case 0: throw refusal("a NUL byte; the file is not XML in UTF-8", at: offset, lines)
      case 0xEF:
        // U+FFFE and U+FFFF.
        guard offset + 2 < bytes.count, bytes[offset + 1] == 0xBF, bytes[offset + 2] >= 0xBE
        else { continue }
        fallthrough
      default:
        throw refusal(
          "the file is not well-formed XML: a character that XML forbids", at: offset, lines)
      }
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      var decoder = UTF8()
      var iterator = bytes.makeIterator()
      var offset = 0
      while case .scalarValue(let scalar) = decoder.decode(&iterator) {
        offset += UTF8.width(scalar)
      }
      throw refusal("bytes that aren't UTF-8", at: offset, lines)
    }
    self.lines = lines
  }

  /// Whether XML allows a character in text.
  static func isAllowed(_ character: Unicode.Scalar) -> Bool {
    switch character.value {
    case 0x09, 0x0A, 0x0D: true
    case ..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }
}
