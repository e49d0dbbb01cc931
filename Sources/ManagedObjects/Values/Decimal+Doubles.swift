import Foundation

extension Decimal {
  /// The number that the shortest text of a double says, which is the one that was meant: stores keep decimals as
  /// doubles. Nil for what no decimal number is near.
  init?(meantBy double: Double) {
    guard double.isFinite else { return nil }
    let text = "\(double)"
    guard let number = Decimal(string: text) ?? Self.large(text) else { return nil }
    self = number
  }

  /// A number whose last digit stands for more than the largest power of ten that decimals have: more zeros belong to
  /// its digits. Foundation doesn't read it.
  private static func large(_ text: String) -> Decimal? {
    let parts = text.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]) else { return nil }
    let digits = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let zeros = exponent - (digits.count > 1 ? digits[1].count : 0) - 127
    guard (1...38).contains(zeros) else { return nil }
    return Decimal(string: digits.joined() + String(repeating: "0", count: zeros) + "e127")
  }
}
