import Foundation

/// `localizedStandardCompare` for texts of ASCII letters, digits and spaces, without a collator: Foundation creates a locale
/// for every comparison.
///
/// Spaces sort before digits, digits before letters, numbers by value; small letters come first between
/// otherwise equal texts.
enum PlainTextOrder {
  /// Whether the current locale sorts such texts this way. Others have two-character letters (`ch`) or another order.
  static let isLocales: Bool = {
    let identifier = Locale.current.identifier
    let language = identifier.prefix { $0 != "_" && $0 != "-" }.lowercased()
    let isKnown = ["", "c", "posix", "root", "en", "de", "fr", "it", "pt", "nl", "es"]
      .contains(language)
    return isKnown && !identifier.contains("@")
  }()

  static func compare(_ left: String, _ right: String) -> ComparisonResult? {
    left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right in compare(left, right) } ?? nil
    } ?? nil
  }

  /// Nil for texts with other characters, or with numbers that may be equal but written differently.
  static func compare(
    _ left: TextBytes, _ right: TextBytes
  ) -> ComparisonResult? {
    guard left.allSatisfy(isPlain), right.allSatisfy(isPlain) else { return nil }
    var (a, b) = (0, 0)
    var byCase = ComparisonResult.orderedSame
    while a < left.count, b < right.count {
      let (one, other) = (left[a], right[b])
      if isDigit(one), isDigit(other) {
        guard let first = number(left, &a), let second = number(right, &b) else { return nil }
        if first != second { return first < second ? .orderedAscending : .orderedDescending }
        continue
      }
      if one != other {
        let (small, otherSmall) = (one.lowercasedASCII, other.lowercasedASCII)
        if small != otherSmall {
          return small < otherSmall ? .orderedAscending : .orderedDescending
        }
        if byCase == .orderedSame {
          byCase = one > other ? .orderedAscending : .orderedDescending
        }
      }
      a += 1
      b += 1
    }
    if a < left.count { return .orderedDescending }
    return b < right.count ? .orderedAscending : byCase
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte == 0x20 || isDigit(byte) || byte.lowercasedASCII >= 0x61 && byte.lowercasedASCII <= 0x7A
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// The number at a place, which is advanced past it; nil if it has leading zeros or is too large.
  private static func number(_ text: TextBytes, _ place: inout Int) -> Int? {
    let start = place
    var number = 0
    while place < text.count, isDigit(text[place]) {
      // Numbers of 18 digits fit.
      guard place - start < 18 else { return nil }
      number = number * 10 + Int(text[place] - 0x30)
      place += 1
    }
    return text[start] == 0x30 && place - start > 1 ? nil : number
  }
}
