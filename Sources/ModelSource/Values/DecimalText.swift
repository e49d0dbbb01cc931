import Foundation

/// Decimal numbers as texts, without the locale and without loss.
enum DecimalText {
  /// Reads a number, keeping the digits after the point in the exponent: `0.0` has the exponent −1,
  /// as in compiled models.
  ///
  /// - Returns: The number; nil when the text isn't one, or has more than 38 digits.
  static func decimal(_ text: String) -> Decimal? {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest = rest.dropFirst() }
    var mantissa: UInt128 = 0
    var exponent = 0
    var hasDigits = false
    var isAfterPoint = false
    while let character = rest.first {
      if let digit = character.isASCII ? character.wholeNumberValue : nil {
        let (product, overflows) = mantissa.multipliedReportingOverflow(by: 10)
        let (sum, carries) = product.addingReportingOverflow(UInt128(digit))
        guard !overflows, !carries else { return nil }
        mantissa = sum
        if isAfterPoint { exponent -= 1 }
        hasDigits = true
      } else if character == ".", !isAfterPoint {
        isAfterPoint = true
      } else {
        break
      }
      rest = rest.dropFirst()
    }
    guard hasDigits else { return nil }
    if let mark = rest.first, mark == "e" || mark == "E" {
      guard let power = Int16(rest.dropFirst()) else { return nil }
      exponent += Int(power)
    } else if !rest.isEmpty {
      return nil
    }
    guard (-128...127).contains(exponent) else { return nil }
    return Decimal(
      sign: isNegative && mantissa != 0 ? .minus : .plus, exponent: exponent,
      significand: significand(mantissa))
  }

  /// The number's text, with as many digits after the point as its exponent says.
  static func text(_ decimal: Decimal) -> String {
    guard !decimal.isNaN else { return "NaN" }
    let digits = mantissa(of: decimal)
    let exponent = decimal.exponent
    let sign = decimal.sign == .minus && digits != 0 ? "-" : ""
    let text = String(digits)
    if exponent >= 0 {
      return sign + text + (digits == 0 ? "" : String(repeating: "0", count: exponent))
    }
    let places = -exponent
    let padded = String(repeating: "0", count: max(0, places + 1 - text.count)) + text
    return sign + padded.dropLast(places) + "." + padded.suffix(places)
  }

  private static func significand(_ mantissa: UInt128) -> Decimal {
    let scale = Decimal(sign: .plus, exponent: 0, significand: Decimal(UInt64.max)) + 1
    return Decimal(UInt64(mantissa >> 64)) * scale
      + Decimal(UInt64(truncatingIfNeeded: mantissa))
  }

  private static func mantissa(of decimal: Decimal) -> UInt128 {
    var digits: UInt128 = 0
    let whole = decimal.significand.description
    for character in whole {
      guard let digit = character.wholeNumberValue else { continue }
      digits = digits &* 10 &+ UInt128(digit)
    }
    return digits
  }
}
