import MomKit

/// The types of attributes, and the mapping of a small number to a value of each. The mapping preserves the order of
/// ordered types, so the reference can compare numbers where the library compares values.
enum AttributeKind: String, Codable, Sendable, CaseIterable {
  case string, integer16, integer32, integer64, bool, double, float, date, uuid, decimal, data
  case external, transformable

  /// The number of values; they are numbered from 0.
  var valueCount: Int {
    switch self {
    case .bool: 2
    case .external: 3
    default: 6
    }
  }

  /// Whether the values are ordered like their numbers, both in SQL and in memory.
  var isOrdered: Bool {
    switch self {
    case .uuid, .data, .external, .transformable: false
    default: true
    }
  }

  /// Whether predicates and constraints may compare values for equality.
  var isEquatable: Bool { self != .external && self != .transformable }

  /// The value for a number.
  func value(_ number: Int) -> Any {
    switch self {
    case .string: Self.texts[number % Self.texts.count]
    case .integer16, .integer32, .integer64: NSNumber(value: number - 2)
    case .bool: NSNumber(value: number != 0)
    case .double: NSNumber(value: Self.doubles[number % Self.doubles.count])
    case .float: NSNumber(value: Self.floats[number % Self.floats.count])
    case .date: Date(timeIntervalSinceReferenceDate: Self.times[number % Self.times.count])
    case .uuid: Self.uuid(number)
    case .decimal: NSDecimalNumber(string: Self.decimals[number % Self.decimals.count])
    case .data: Data(repeating: UInt8(number), count: number * 3)
    case .external: Data(repeating: UInt8(number + 1), count: number == 0 ? 10 : 150_000)
    case .transformable: [NSString(string: "t\(number)"), NSNumber(value: number)] as NSArray
    }
  }

  /// The number of a value; nil for a value that has none.
  func number(of value: Any) -> Int? {
    let count = self == .integer64 ? nil : valueCount
    let number: Int? =
      switch self {
      case .string: (value as? String).flatMap(Self.index)
      case .integer16, .integer32, .integer64: (value as? NSNumber).map { $0.intValue + 2 }
      case .bool: (value as? NSNumber).map { $0.boolValue ? 1 : 0 }
      case .double: (value as? NSNumber).flatMap { Self.doubles.firstIndex(of: $0.doubleValue) }
      case .float: (value as? NSNumber).flatMap { Self.floats.firstIndex(of: $0.floatValue) }
      case .date:
        (value as? Date).flatMap { Self.times.firstIndex(of: $0.timeIntervalSinceReferenceDate) }
      case .uuid: (value as? UUID).flatMap { id in (0..<6).first { Self.uuid($0) == id } }
      case .decimal: (value as? NSDecimalNumber).flatMap(Self.index)
      case .data: (value as? Data).map { $0.count / 3 }
      case .external: (value as? Data).map { $0.count == 10 ? 0 : Int($0.first ?? 0) - 1 }
      case .transformable: ((value as? NSArray)?.lastObject as? NSNumber)?.intValue
      }
    guard let number, count.map({ number < $0 }) ?? true else { return nil }
    return number
  }

  /// Texts with small differences (precomposed accents, none at all), in the order of their scalars, which is the order of
  /// their UTF-8 bytes.
  private static let texts = ["", "Cafe\u{301}", "Caf\u{E9}", "a", "a%_", "b\u{1F600}"]

  /// Numbers that SQLite stores as integers, and others, far from each other and close together.
  private static let doubles = [-1e300, -0.5, 0, 0.1, 2.5, 1e18]
  private static let floats: [Float] = [-3e38, -0.25, 0, 0.1, 2.5, 16_777_216]
  /// Decimal numbers of no more digits than a column's doubles keep.
  private static let decimals = ["-12345678901234.5", "-0.1", "0", "0.1", "3", "99999999999999.5"]
  /// Dates as seconds since the reference date: the distant past and future, and fractions on both sides of 0. None has the
  /// description of another, by which sections are named.
  private static let times = [-63_114_076_800, -0.75, 0, 1.125, 1000, 63_113_904_000]

  private static func index(of decimal: NSDecimalNumber) -> Int? {
    decimals.firstIndex { NSDecimalNumber(string: $0).doubleValue == decimal.doubleValue }
  }

  private static func index(of text: String) -> Int? {
    texts.firstIndex { $0.unicodeScalars.elementsEqual(text.unicodeScalars) }
  }

  private static func uuid(_ number: Int) -> UUID {
    UUID(
      uuid: (UInt8(truncatingIfNeeded: number), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  }
}
