/// Dates as written in XML property lists: `2026-11-21T01:43:00Z`.
enum ISODate {
  /// Seconds since 2001-01-01; `nil` when the text is not such a date.
  static func seconds(_ text: Substring) -> Double? {
    let utf8 = Array(text.utf8)
    guard utf8.count == 20, utf8[4] == UInt8(ascii: "-"), utf8[7] == UInt8(ascii: "-"),
      utf8[10] == UInt8(ascii: "T"), utf8[13] == UInt8(ascii: ":"), utf8[16] == UInt8(ascii: ":"),
      utf8[19] == UInt8(ascii: "Z"),
      let year = number(utf8[0..<4]), let month = number(utf8[5..<7]),
      let day = number(utf8[8..<10]), let hour = number(utf8[11..<13]),
      let minute = number(utf8[14..<16]), let second = number(utf8[17..<19]),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    return Double(days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value
  }

  /// Days from 2001-01-01 in the Gregorian calendar; years are counted from March.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let beforeYear = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400
    return beforeYear + (monthFromMarch * 153 + 2) / 5 + day - 1 - 730_791
  }
}

/// The base64 encoding of `<data>`, which may contain white space anywhere.
package enum Base64 {
  /// Decodes bytes; returns `nil` when the text is not base64.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text where !XMLScanner.isSpace(byte) {
      if byte == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let value = value(of: byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      if count % 4 == 0 {
        bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
      }
    }
    switch count % 4 {
    case 0: return padding == 0 ? bytes : nil
    case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case 3:
      bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
    default: return nil
    }
    return padding <= 2 ? bytes : nil
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
