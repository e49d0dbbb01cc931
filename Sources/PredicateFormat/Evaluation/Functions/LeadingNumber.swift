import Foundation

/// The number at the start of a text, as `NSString` reads it: white space first, what follows the number
/// passed over, 0 without one.
///
/// Foundation's own `Scanner` ends the program on Linux where a character beyond the first 65,536, such
/// as an emoji, stands in the place of a digit; texts come from outside.
package enum LeadingNumber {
  /// `doubleValue`.
  static func double(of text: String) -> Double {
    number(in: text, hasFraction: true).flatMap { Double($0) } ?? 0
  }

  /// `doubleValue`, or 0 where that isn't finite.
  package static func finite(_ text: String) -> Double {
    let number = double(of: text)
    return number.isFinite ? number : 0
  }

  /// An integer at a text's beginning.
  package struct Integer {
    /// The nearest of 64 bits; 0 where there is no digit.
    package var value: Int64 = 0
    /// Whether there was a digit at all.
    package var hasDigits = false
    /// Whether nothing follows but a fraction of zeros.
    package var isWhole = false
    /// Whether the number has more than 64 bits.
    package var isClamped = false
  }

  /// `integerValue`.
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

  /// The number as a decimal; nil without one.
  package static func decimal(of text: String) -> Decimal? {
    number(in: text, hasFraction: true).flatMap { Decimal(string: $0) }
  }

  /// `boolValue`: whether, after white space, a sign and zeros, there is a `y`, a `t` or another digit.
  package static func bool(of text: String) -> Bool {
    var bytes = text.utf8.drop(while: isSpace)
    if let sign = bytes.first, isSign(sign) { bytes = bytes.dropFirst() }
    guard let first = bytes.drop(while: { $0 == UInt8(ascii: "0") }).first else { return false }
    let letter = first | 0x20
    return letter == UInt8(ascii: "y") || letter == UInt8(ascii: "t") || isDigit(first)
  }

  /// The text of the number: a sign, digits and, where there may be one, a fraction and an exponent.
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

  /// No number needs more to be told from its neighbours, and none of a text may cost more.
  private static let limit = 4096

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

  private static func isSign(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }
}
