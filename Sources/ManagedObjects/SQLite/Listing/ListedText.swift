import DataModels
import Foundation

/// Output of a listing as bytes: millions of values may be written, without creating a string for each.
///
/// This type alone defines the format of values, in JSON and in cells; see ``ListedValue``.
struct ListedText {
  private(set) var bytes: [UInt8] = []

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  @inline(__always)
  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  @inline(__always)
  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  @inline(__always)
  mutating func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }

  @inline(__always)
  mutating func append(_ flag: Bool) {
    append(flag ? Self.yes : Self.no)
  }

  private static let yes = Array("true".utf8)
  private static let no = Array("false".utf8)
  static let null = Array("null".utf8)

  // MARK: Numbers

  mutating func append(_ number: Int64) {
    var rest = number.magnitude
    if number < 0 { append(UInt8(ascii: "-")) }
    if rest < 10 { return append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)) }
    let start = bytes.count
    while rest > 0 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
      rest = quotient
    }
    var (low, high) = (start, bytes.count - 1)
    while low < high {
      bytes.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Appends a number with the fewest digits that identify it. Numbers that JSON doesn't support are written by name.
  mutating func append(_ number: Double, quoted: Bool) {
    if let name = Self.name(of: number) { return append(name, quoted: quoted) }
    append("\(number)")
  }

  /// The name of a number that isn't finite; otherwise nil.
  static func name(of number: Double) -> String? {
    if number.isFinite { return nil }
    return number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
  }

  /// Appends a date, given in seconds since 2001.
  mutating func append(date seconds: Double, quoted: Bool) {
    if let name = Self.name(of: seconds) { return append(name, quoted: quoted) }
    if quoted { append(UInt8(ascii: "\"")) }
    DateText.append(seconds, to: &bytes)
    if quoted { append(UInt8(ascii: "\"")) }
  }

  private mutating func append(_ plain: String, quoted: Bool) {
    if quoted { append(UInt8(ascii: "\"")) }
    append(plain)
    if quoted { append(UInt8(ascii: "\"")) }
  }

  // MARK: Texts

  /// Appends a JSON string with its quotes and necessary escapes.
  ///
  /// - Returns: false if the text isn't valid UTF-8, and was repaired.
  @discardableResult @inline(__always)
  mutating func append(json text: some Collection<UInt8>) -> Bool {
    append(UInt8(ascii: "\""))
    var (needsEscapes, isASCII) = (false, true)
    for byte in text {
      if byte < 0x20 || byte == 0x7F || byte == 0x22 || byte == 0x5C { needsEscapes = true }
      if byte >= 0x80 { isASCII = false }
    }
    let isValid = isASCII || Self.isUTF8(text)
    if !isValid {
      for byte in String(decoding: text, as: UTF8.self).utf8 {
        JSONText.append(escaping: byte, to: &bytes)
      }
    } else if needsEscapes {
      for byte in text { JSONText.append(escaping: byte, to: &bytes) }
    } else {
      bytes.append(contentsOf: text)
    }
    append(UInt8(ascii: "\""))
    return isValid
  }

  /// Appends a CSV cell (RFC 4180), quoted if necessary or empty, since an unquoted empty cell stands for a missing
  /// value.
  ///
  /// - Returns: false if the text isn't valid UTF-8, and was repaired.
  @discardableResult @inline(__always)
  mutating func append(csv text: some Collection<UInt8>) -> Bool {
    guard !text.isEmpty else {
      append("\"\"")
      return true
    }
    var (needsQuotes, isASCII) = (false, true)
    for byte in text {
      if byte == 0x22 || byte == 0x2C || byte == 0x0A || byte == 0x0D { needsQuotes = true }
      if byte >= 0x80 { isASCII = false }
    }
    if needsQuotes { append(UInt8(ascii: "\"")) }
    let isValid = isASCII || Self.isUTF8(text)
    if !isValid {
      for byte in String(decoding: text, as: UTF8.self).utf8 { append(doubling: byte) }
    } else if needsQuotes {
      for byte in text { append(doubling: byte) }
    } else {
      bytes.append(contentsOf: text)
    }
    if needsQuotes { append(UInt8(ascii: "\"")) }
    return isValid
  }

  /// Quotes the last CSV cell, which begins at `start`, if it is the text for missing values: unquoted, it would be one.
  @inline(__always)
  mutating func quoteCell(from start: Int, ifEqualTo null: [UInt8]) {
    guard !null.isEmpty, bytes.count - start == null.count, bytes[start...].elementsEqual(null)
    else { return }
    bytes.insert(UInt8(ascii: "\""), at: start)
    append(UInt8(ascii: "\""))
  }

  @inline(__always)
  private mutating func append(doubling byte: UInt8) {
    if byte == 0x22 { append(byte) }
    append(byte)
  }

  /// Whether bytes are valid UTF-8, by Unicode's table of well-formed sequences.
  @inline(__always)
  static func isUTF8(_ text: some Collection<UInt8>) -> Bool {
    // The number of bytes to follow, and the permitted range of the next one.
    var (rest, low, high) = (0, UInt8(0x80), UInt8(0xBF))
    for byte in text {
      if rest > 0 {
        guard low <= byte, byte <= high else { return false }
        (rest, low, high) = (rest &- 1, 0x80, 0xBF)
        continue
      }
      switch byte {
      case ..<0x80: continue
      case 0xC2...0xDF: rest = 1
      case 0xE0: (rest, low) = (2, 0xA0)
      case 0xED: (rest, high) = (2, 0x9F)
      case 0xE1...0xEF: rest = 2
      case 0xF0: (rest, low) = (3, 0x90)
      case 0xF1...0xF3: rest = 3
      case 0xF4: (rest, high) = (3, 0x8F)
      default: return false
      }
    }
    return rest == 0
  }

  // MARK: Bytes

  /// Appends bytes as base64.
  mutating func append(base64 data: Data, quoted: Bool) {
    if quoted { append(UInt8(ascii: "\"")) }
    append(base64: data)
    if quoted { append(UInt8(ascii: "\"")) }
  }

  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Appends bytes as base64, without quotes.
  @inline(__always)
  mutating func append(base64 data: some Collection<UInt8>) {
    var (bits, count) = (UInt32(0), 0)
    for byte in data {
      bits = bits << 8 | UInt32(byte)
      count &+= 1
      if count == 3 {
        appendLetters(bits, 4)
        (bits, count) = (0, 0)
      }
    }
    guard count > 0 else { return }
    appendLetters(bits << UInt32(8 &* (3 &- count)), count &+ 1)
    for _ in count..<3 { append(UInt8(ascii: "=")) }
  }

  /// Appends the first letters of 24 bits.
  @inline(__always)
  private mutating func appendLetters(_ bits: UInt32, _ count: Int) {
    for place in 0..<count {
      append(Self.letters[Int(bits >> UInt32(18 &- 6 &* place) & 63)])
    }
  }
}
