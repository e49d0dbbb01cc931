/// The reserved words of the predicate format, which are case-insensitive.
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

  /// Whether the word can never be a key. The others are reserved only where the grammar requires them: an attribute
  /// may be named `size` or `first`.
  var isAlwaysReserved: Bool {
    switch self {
    case .first, .last, .size, .subquery, .ternary, .function, .cast, .fetch, .union, .intersect,
      .minus, .caseinsensitive, .ci:
      false
    default: true
    }
  }

  /// Creates the word spelled by bytes, ignoring case.
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

  /// Up to 16 lowercase letters in two integers, which are hashed without creating a string.
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
