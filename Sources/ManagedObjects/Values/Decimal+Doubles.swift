import Foundation

extension Decimal {
  /// Creates the number with the shortest decimal text of a double, which is the intended one: stores keep decimals
  /// as doubles. Nil if no decimal number is close.
  init?(meantBy double: Double) {
    guard double.isFinite else { return nil }
    let text = "\(double)"
    guard let number = Decimal(string: text) ?? Self.large(text) else { return nil }
    self = number
  }

  /// A number whose exponent exceeds the largest one of a decimal, so that zeros must be added to its digits.
  /// Foundation doesn't parse it.
  private static func large(_ text: String) -> Decimal? {
    let parts = text.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]) else { return nil }
    let digits = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let zeros = exponent - (digits.count > 1 ? digits[1].count : 0) - 127
    guard (1...38).contains(zeros) else { return nil }
    return Decimal(string: digits.joined() + String(repeating: "0", count: zeros) + "e127")
  }
}
