import Foundation

/// Formats points in time.
package enum DateText {
  /// Formats seconds since 2001 as ISO 8601 in UTC, with as many fractional digits as needed to parse the same number.
  package static func iso8601(_ seconds: Double) -> String {
    var bytes: [UInt8] = []
    append(seconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the result of ``iso8601(_:)`` without creating a string.
  package static func append(_ seconds: Double, to bytes: inout [UInt8]) {
    // Outside the range of any calendar, the number is more informative.
    guard seconds.isFinite, abs(seconds) < 1e13 else {
      return bytes.append(contentsOf: "\(seconds)".utf8)
    }
    if let whole = Int64(exactly: seconds) { return append(whole, fraction: "", to: &bytes) }
    let text = "\(seconds)"
    if seconds > 0, !text.utf8.contains(UInt8(ascii: "e")) {
      // No integer lies between a number and its shortest decimal form, so the integral part can be converted directly.
      return append(Int64(seconds), fraction: text.drop { $0 != "." }, to: &bytes)
    }
    guard let exact = Decimal(string: text) else {
      return bytes.append(contentsOf: text.utf8)
    }
    var (value, whole) = (exact, Decimal())
    NSDecimalRound(&whole, &value, 0, .down)
    let fraction = "\(exact - whole)"
    append(
      NSDecimalNumber(decimal: whole).int64Value, fraction: fraction.drop { $0 != "." }, to: &bytes)
  }

  private static func append(_ total: Int64, fraction: Substring, to bytes: inout [UInt8]) {
    let (days, rest) = floorDivision(total, 86_400)
    let (year, month, day) = civil(days)
    pad(year, to: 4, in: &bytes)
    for (mark, number) in [
      (UInt8(ascii: "-"), month), (UInt8(ascii: "-"), day), (UInt8(ascii: "T"), rest / 3600),
      (UInt8(ascii: ":"), rest / 60 % 60), (UInt8(ascii: ":"), rest % 60),
    ] {
      bytes.append(mark)
      pad(number, to: 2, in: &bytes)
    }
    bytes.append(contentsOf: fraction.utf8)
    bytes.append(UInt8(ascii: "Z"))
  }

  private static func floorDivision(_ number: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }

  private static func pad(_ number: Int64, to count: Int, in bytes: inout [UInt8]) {
    if count == 2, (0..<100).contains(number) {
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10))
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10))
      return
    }
    let digits = "\(abs(number))"
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    for _ in 0..<max(0, count - digits.utf8.count) { bytes.append(UInt8(ascii: "0")) }
    bytes.append(contentsOf: digits.utf8)
  }

  /// The Gregorian date of a day, counted from 1 January 2001.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Days are counted from 1 March of year 0, so that leap days come last: 400 years have 146,097 days.
    let shifted = day + 730_791
    let (era, dayOfEra) = floorDivision(shifted, 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth)
  }
}
