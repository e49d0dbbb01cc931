/// Dates as written in XML property lists: `2026-11-21T01:43:00Z`, in the Gregorian calendar at all times. Years before 0
/// have a sign, and those after 9999 more than four digits.
package enum ISODate {
  /// Seconds since 2001-01-01; `nil` when the text is not such a date.
  static func seconds(_ text: Substring) -> Double? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let utf8 = Array(text.utf8.dropFirst(isNegative ? 1 : 0))
    // The year's digits; the rest has sixteen characters.
    let start = utf8.count - 16
    guard (4...9).contains(start) else { return nil }
    let rest = utf8[start...]
    let marks: [(Int, Character)] = [(0, "-"), (3, "-"), (6, "T"), (9, ":"), (12, ":"), (15, "Z")]
    guard marks.allSatisfy({ rest[start + $0] == $1.asciiValue }),
      let year = number(utf8[..<start]), let month = number(rest[start + 1..<start + 3]),
      let day = number(rest[start + 4..<start + 6]), let hour = number(rest[start + 7..<start + 9]),
      let minute = number(rest[start + 10..<start + 12]),
      let second = number(rest[start + 13..<start + 15]),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    let days = days(year: isNegative ? -year : year, month: month, day: day)
    return Double(days * 86400 + hour * 3600 + minute * 60 + second)
  }

  /// The text for seconds since 2001-01-01, whose fraction is lost; `nil` for a date that is millions of years away.
  package static func text(_ seconds: Double) -> String? {
    guard abs(seconds) < 1e15 else { return nil }
    let total = Int(seconds.rounded(.down))
    let (days, time) = (floor(total, by: 86400), total - floor(total, by: 86400) * 86400)
    let (year, month, day) = date(days)
    let digits = String(abs(year))
    let padding = String(repeating: "0", count: max(0, 4 - digits.count))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return (year < 0 ? "-" : "") + padding + digits + "-\(two(month))-\(two(day))T"
      + "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value
  }

  private static func floor(_ number: Int, by divisor: Int) -> Int {
    (number - (number % divisor + divisor) % divisor) / divisor
  }

  /// Days from 2001-01-01 in the Gregorian calendar; years are counted from March.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let leapDays = floor(shifted, by: 4) - floor(shifted, by: 100) + floor(shifted, by: 400)
    return shifted * 365 + leapDays + (monthFromMarch * 153 + 2) / 5 + day - 1 - 730_791
  }

  /// The date of a day since 2001-01-01: the inverse of `days`.
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    // From 0000-03-01, in periods of 400 years.
    let shifted = days + 730_791
    let period = floor(shifted, by: 146_097)
    let day = shifted - period * 146_097
    let yearOfPeriod = (day - day / 1460 + day / 36524 - day / 146_096) / 365
    let dayOfYear = day - (365 * yearOfPeriod + yearOfPeriod / 4 - yearOfPeriod / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = period * 400 + yearOfPeriod + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
