import Foundation

/// Points in time as texts.
package enum DateText {
  /// Seconds since 2001 in ISO 8601, UTC, with as many digits of a second as the number has: reading
  /// the text again gives the number.
  package static func iso8601(_ seconds: Double) -> String {
    // Far from any calendar the number says more.
    guard seconds.isFinite, abs(seconds) < 1e13, let exact = Decimal(string: "\(seconds)") else {
      return "\(seconds)"
    }
    var (value, whole) = (exact, Decimal())
    NSDecimalRound(&whole, &value, 0, .down)
    let fraction = exact - whole
    let total = NSDecimalNumber(decimal: whole).int64Value
    let (days, rest) = floorDivision(total, 86_400)
    let (year, month, day) = civil(days)
    let digits = "\(fraction)".drop { $0 != "." }
    return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(rest / 3600, 2) + ":"
      + pad(rest / 60 % 60, 2) + ":" + pad(rest % 60, 2) + digits + "Z"
  }

  private static func floorDivision(_ number: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }

  private static func pad(_ number: Int64, _ count: Int) -> String {
    let digits = "\(abs(number))"
    return (number < 0 ? "-" : "")
      + String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  /// The Gregorian date of a day, counted from 1 January 2001.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Counted from 1 March of the year 0, so that leap days come last: 400 years have 146,097 days.
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
