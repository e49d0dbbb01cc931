import Foundation

/// Parses the number at the start of a string as `NSString` does: leading white space and anything after the number are
/// ignored, and the result is 0 if there is no number.
///
/// Foundation's own `Scanner` crashes on Linux if a character above U+FFFF, such as an emoji, is in the place of a
/// digit, and strings may come from untrusted sources.
package enum LeadingNumber {
  /// Parses like `doubleValue`.
  static func double(of text: String) -> Double {
    number(in: text, hasFraction: true).flatMap { Double($0) } ?? 0
  }

  /// Parses like `doubleValue`, with 0 for a value that isn't finite.
  package static func finite(_ text: String) -> Double {
    let number = double(of: text)
    return number.isFinite ? number : 0
  }

  /// An integer at the start of a string.
  package struct Integer {
    /// The nearest 64-bit value; 0 if there are no digits.
    package var value: Int64 = 0
    /// Whether there were any digits.
    package var hasDigits = false
    /// Whether nothing follows except a fraction of zeros.
    package var isWhole = false
    /// Whether the number doesn't fit in 64 bits.
    package var isClamped = false
  }

  /// Parses like `integerValue`.
  package static func integer(of text: String) -> Integer {
    guard let digits = number(in: text, hasFraction: false) else { return Integer() }
    let rest = text.utf8.drop(while: isSpace).dropFirst(digits.utf8.count)
    let number = Int64(digits)
    return Integer(
      value: number ?? (digits.utf8.first == UInt8(ascii: "-") ? .min : .max), hasDigits: true,
      isWhole: rest.isEmpty
        || rest.first == UInt8(ascii: ".")
          && rest.dropFirst().allSatisfy { $0 == UInt8(ascii: "0") },
      isClamped: number == nil)
  }

  /// The number as a decimal; nil if there is none.
  package static func decimal(of text: String) -> Decimal? {
    number(in: text, hasFraction: true).flatMap { Decimal(string: $0) }
  }

  /// Parses like `boolValue`: whether white space, a sign and zeros are followed by a `y`, a `t` or another digit.
  package static func bool(of text: String) -> Bool {
    var bytes = text.utf8.drop(while: isSpace)
    if let sign = bytes.first, isSign(sign) { bytes = bytes.dropFirst() }
    guard let first = bytes.drop(while: { $0 == UInt8(ascii: "0") }).first else { return false }
    let letter = first | 0x20
    return letter == UInt8(ascii: "y") || letter == UInt8(ascii: "t") || isDigit(first)
  }

  /// The text of the number: a sign, digits and, if allowed, a fraction and an exponent.
  private static func number(in text: String, hasFraction: Bool) -> String? {
    let bytes = Array(text.utf8.drop(while: isSpace).prefix(limit))
    var end = 0
    func skipDigits() -> Int {
      let start = end
      while end < bytes.count, isDigit(bytes[end]) { end += 1 }
      return end - start
    }
    if end < bytes.count, isSign(bytes[end]) { end += 1 }
    var digits = skipDigits()
    if hasFraction, end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      end += 1
      digits += skipDigits()
    }
    guard digits > 0 else { return nil }
    let mantissa = end
    if hasFraction, end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
      end += 1
      if end < bytes.count, isSign(bytes[end]) { end += 1 }
      if skipDigits() == 0 { end = mantissa }
    }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// No number needs more characters to be distinguished from its neighbours, and this bounds the cost.
  private static let limit = 4096

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

  private static func isSign(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }
}
