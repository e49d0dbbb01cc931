/// Splits JSON text into its elements: those of a single array, or the values of a file with one value per line.
/// Elements keep their original text, so that numbers and the order of keys are preserved.
struct JSONElements: Sequence, IteratorProtocol {
  /// An element's text, without white space between its parts, and its location: the line where it starts and, in an
  /// array, its index.
  struct Element {
    var text: [UInt8]
    var line: Int
    var index: Int?

    /// The location, for messages: `:3`, or `:3[17]`.
    var place: String { ":\(line)" + (index.map { "[\($0)]" } ?? "") }
  }

  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var count = 0
  private let isArray: Bool
  /// What may follow in an array.
  private var expected = Expected.elementOrEnd

  private enum Expected { case element, elementOrEnd, commaOrEnd, nothing }

  init(_ text: [UInt8]) {
    // Other systems' editors and spreadsheets begin UTF-8 with a byte order mark.
    let hasMark = text.starts(with: [0xEF, 0xBB, 0xBF])
    let bytes = hasMark ? Array(text.dropFirst(3)) : text
    self.bytes = bytes
    let first = bytes.firstIndex { !Self.isSpace($0) }
    isArray = first.map { bytes[$0] == UInt8(ascii: "[") } ?? false
    if isArray {
      skip {
        Self.isSpace($0) || $0 == UInt8(ascii: "[")
      } while: {
        $0 <= (first ?? 0)
      }
    }
  }

  /// The next element. What is no JSON, such as an array that was cut off, is an element without text.
  mutating func next() -> Element? {
    skipSpace()
    guard isArray else { return offset < bytes.count ? element() : nil }
    if offset < bytes.count, expected != .nothing {
      switch (bytes[offset], expected) {
      case (UInt8(ascii: "]"), .elementOrEnd), (UInt8(ascii: "]"), .commaOrEnd):
        offset += 1
        expected = .nothing
        return next()
      case (UInt8(ascii: ","), .commaOrEnd):
        offset += 1
        expected = .element
        return next()
      case (_, .commaOrEnd): break
      default:
        expected = .commaOrEnd
        return element()
      }
    } else if expected == .nothing, offset == bytes.count {
      return nil
    }
    // The end or a comma is missing, or something follows the end.
    (offset, expected) = (bytes.count, .nothing)
    return Element(text: [], line: line, index: count)
  }

  private mutating func skipSpace() {
    skip {
      Self.isSpace($0)
    } while: { _ in
      true
    }
  }

  /// Reads the bytes of one value, with balanced brackets and complete strings.
  private mutating func element() -> Element {
    var element = Element(text: [], line: line, index: isArray ? count : nil)
    count += 1
    var depth = 0
    var isString = false
    var isAfterSpace = false
    while offset < bytes.count {
      let byte = bytes[offset]
      if isString {
        element.text.append(byte)
        offset += 1
        if byte == UInt8(ascii: "\\"), offset < bytes.count {
          element.text.append(bytes[offset])
          offset += 1
        } else if byte == UInt8(ascii: "\"") {
          isString = false
          if depth == 0 { return element }
        }
        continue
      }
      if depth == 0, !element.text.isEmpty, endsValue(byte) { return element }
      if byte == UInt8(ascii: "\n") { line += 1 }
      offset += 1
      if Self.isSpace(byte) {
        isAfterSpace = true
        continue
      }
      // Two numbers or words don't become one.
      if isAfterSpace, let last = element.text.last, Self.isWord(last), Self.isWord(byte) {
        element.text.append(0x20)
      }
      isAfterSpace = false
      element.text.append(byte)
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return element }
      default: break
      }
    }
    return element
  }

  private func endsValue(_ byte: UInt8) -> Bool {
    Self.isSpace(byte) || (isArray && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")))
  }

  private mutating func skip(_ skips: (UInt8) -> Bool, while allows: (Int) -> Bool) {
    while offset < bytes.count, allows(offset), skips(bytes[offset]) {
      if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
      offset += 1
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""):
      false
    default: true
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}

/// Joins JSON values: one per line, or as a single array.
struct JSONLines {
  private let isArray: Bool
  private var bytes: [UInt8] = []
  private var count = 0

  init(isArray: Bool) { self.isArray = isArray }

  /// Whether there are no values.
  var isEmpty: Bool { count == 0 }

  mutating func append(_ value: [UInt8]) {
    if isArray, count > 0 { bytes += Array(",".utf8) }
    if isArray { bytes += Array("\n  ".utf8) }
    bytes += value
    if !isArray { bytes += Array("\n".utf8) }
    count += 1
  }

  /// The whole text.
  func finish() -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard isArray else { return text }
    return isEmpty ? "[]\n" : "[\(text)\n]\n"
  }
}
