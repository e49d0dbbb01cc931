import Foundation

/// A value of a store's row as plain data, to be written as JSON or as text.
package indirect enum ListedValue: Sendable, Equatable {
  case null
  case flag(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes(Data)
  /// Seconds since 2001.
  case date(Double)
  case list([ListedValue])
  case record([(name: String, value: ListedValue)])

  package static func == (left: ListedValue, right: ListedValue) -> Bool {
    left.json == right.json
  }

  /// The value as JSON, on one line: bytes in base64, dates in ISO 8601 to the last digit.
  package var json: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// The value as a cell of a table; nil for none. Lists are separated by blanks.
  package var cell: String? {
    switch self {
    case .null: nil
    case .flag(let flag): flag ? "true" : "false"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .bytes(let data): data.base64EncodedString()
    case .date(let seconds): DateText.iso8601(seconds)
    case .list(let members): members.compactMap(\.cell).joined(separator: " ")
    case .record: json
    }
  }

  // Nesting is that of composite attributes: the model's, which is bounded.
  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .flag(let flag): text += flag ? "true" : "false"
    case .integer(let number): text += "\(number)"
    case .real(let number): text += number.isFinite ? "\(number)" : "null"
    case .text(let value): Self.quote(value, to: &text)
    case .bytes(let data): text += "\"\(data.base64EncodedString())\""
    case .date(let seconds): text += seconds.isFinite ? "\"\(DateText.iso8601(seconds))\"" : "null"
    case .list(let members):
      text += "["
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        member.write(to: &text)
      }
      text += "]"
    case .record(let fields):
      text += "{"
      for (index, field) in fields.enumerated() {
        if index > 0 { text += "," }
        Self.quote(field.name, to: &text)
        text += ":"
        field.value.write(to: &text)
      }
      text += "}"
    }
  }

  static func quote(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

/// Points in time as texts.
enum DateText {
  /// Seconds since 2001 in ISO 8601, UTC, with as many digits of a second as the number has: reading
  /// the text again gives the number.
  static func iso8601(_ seconds: Double) -> String {
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
