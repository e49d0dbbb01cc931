import Foundation

/// Locale-independent conversion of decimal numbers.
enum DecimalText {
  /// Parses a number.
  ///
  /// Foundation's parser preserves the exponent of a zero (`0.0` has the exponent −1), as do compiled models, but it
  /// accepts any text that begins with a digit, and silently drops digits.
  ///
  /// - Returns: The number; nil when the text isn't one, or has more than 38 digits.
  static func decimal(_ text: String) -> Decimal? {
    var rest = Substring(text).utf8
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let whole = digits(&rest)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = digits(&rest)
    }
    guard (1...38).contains(whole + fraction) else { return nil }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      guard let power = Int8(Substring(rest)), abs(Int(power)) < 100 else {
        return nil
      }
    } else if !rest.isEmpty {
      return nil
    }
    guard let number = Decimal(string: text), !number.isNaN else { return nil }
    return number
  }

  /// The number's text; a zero has as many fractional digits as given by its exponent.
  static func text(_ decimal: Decimal) -> String {
    guard decimal.isZero, decimal.exponent < 0 else { return decimal.description }
    return "0." + String(repeating: "0", count: -decimal.exponent)
  }

  private static func digits(_ text: inout Substring.UTF8View) -> Int {
    let digits = text.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    text.removeFirst(digits.count)
    return digits.count
  }
}
