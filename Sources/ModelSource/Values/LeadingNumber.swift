import Foundation

/// The number that a text begins with, as Cocoa reads texts that should be numbers: white space, a sign,
/// digits, and whatever follows is passed over. A text that begins otherwise is 0.
enum LeadingNumber {
  /// An integer at a text's beginning.
  struct Integer: Equatable {
    var value: Int64 = 0
    /// Whether there was a digit at all.
    var hasDigits = false
    /// Whether nothing follows but a fraction of zeros.
    var isWhole = false
    /// Whether the number was beyond 64 bits, and is the nearest within.
    var isClamped = false
  }

  /// The integer that a text begins with.
  static func integer(in text: String) -> Integer {
    let trimmed = text.drop { $0.isWhitespace }
    let sign = trimmed.first == "-" || trimmed.first == "+" ? 1 : 0
    let digits = trimmed.dropFirst(sign).prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty else { return Integer() }
    let isNegative = trimmed.first == "-"
    let exact = Int64((isNegative ? "-" : "") + digits)
    let rest = trimmed.dropFirst(sign + digits.count)
    return Integer(
      value: exact ?? (isNegative ? .min : .max), hasDigits: true,
      isWhole: rest.isEmpty || (rest.first == "." && rest.dropFirst().allSatisfy { $0 == "0" }),
      isClamped: exact == nil)
  }

  /// The finite number that a text begins with; 0 when it begins with none.
  static func real(in text: String) -> Double {
    guard let number = Double(numeral(in: text)), number.isFinite else { return 0 }
    return number
  }

  /// The decimal number that a text begins with, cut off where its digits are too many; 0 when it begins
  /// with none.
  static func decimal(in text: String) -> Decimal {
    guard let number = Decimal(string: numeral(in: text)), !number.isNaN else { return 0 }
    return number
  }

  /// The sign, digits, fraction and exponent at a text's beginning.
  private static func numeral(in text: String) -> String {
    var rest = text.drop { $0.isWhitespace }[...]
    var numeral = ""
    func digits() -> String {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      return String(digits)
    }
    if let sign = rest.first, "+-".contains(sign) {
      numeral.append(sign)
      rest = rest.dropFirst()
    }
    numeral += digits()
    if rest.first == "." {
      rest = rest.dropFirst()
      numeral += "." + digits()
    }
    if let mark = rest.first, "eE".contains(mark) {
      rest = rest.dropFirst()
      var exponent = ""
      if let sign = rest.first, "+-".contains(sign) {
        exponent.append(sign)
        rest = rest.dropFirst()
      }
      let power = digits()
      if !power.isEmpty { numeral += "e" + exponent + power }
    }
    return numeral
  }
}
