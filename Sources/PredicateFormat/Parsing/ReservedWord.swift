/// The words of the format language, in any case.
enum ReservedWord: String, CaseIterable, Sendable {
  case and, or, not
  case any, some, all, none
  case `in`, contains, beginswith, endswith, like, matches, between
  case null, `nil`, `true`, yes, `false`, no
  case `self`, anykey, first, last, size
  case subquery, ternary, function, cast, fetch
  case union, intersect, minus
  case truepredicate, falsepredicate
  case caseinsensitive, ci

  /// Whether the word is never a key. The others are words only where the grammar asks for them: an
  /// attribute may be called `size` or `first`.
  var isAlwaysReserved: Bool {
    switch self {
    case .first, .last, .size, .subquery, .ternary, .function, .cast, .fetch, .union, .intersect,
      .minus, .caseinsensitive, .ci:
      false
    default: true
    }
  }

  /// The word spelled by these bytes, in any case.
  init?(_ bytes: some Collection<UInt8>) {
    guard let key = Key(bytes), let word = Self.table[key] else { return nil }
    self = word
  }

  private static let table: [Key: ReservedWord] = {
    var table: [Key: ReservedWord] = [:]
    for word in allCases {
      if let key = Key(word.rawValue.utf8) { table[key] = word }
    }
    return table
  }()

  /// Up to 16 letters, lower-cased, in two words: hashed without making a string.
  private struct Key: Hashable {
    var high: UInt64 = 0
    var low: UInt64 = 0

    init?(_ bytes: some Collection<UInt8>) {
      guard bytes.count <= 16 else { return nil }
      for byte in bytes {
        high = high << 8 | low >> 56
        low = low << 8 | UInt64(byte | 0x20)
      }
    }
  }
}
