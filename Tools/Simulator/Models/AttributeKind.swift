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
    case .double: NSNumber(value: Double(number) + 0.5)
    case .float: NSNumber(value: Float(number) + 0.25)
    case .date: Date(timeIntervalSinceReferenceDate: Double(number) * 1000)
    case .uuid: Self.uuid(number)
    case .decimal: NSDecimalNumber(value: number - 1)
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
      case .double: (value as? NSNumber).map { Int(($0.doubleValue - 0.5).rounded()) }
      case .float: (value as? NSNumber).map { Int(($0.doubleValue - 0.25).rounded()) }
      case .date: (value as? Date).map { Int($0.timeIntervalSinceReferenceDate / 1000) }
      case .uuid: (value as? UUID).flatMap { id in (0..<6).first { Self.uuid($0) == id } }
      case .decimal: (value as? NSDecimalNumber).map { $0.intValue + 1 }
      case .data: (value as? Data).map { $0.count / 3 }
      case .external: (value as? Data).map { $0.count == 10 ? 0 : Int($0.first ?? 0) - 1 }
      case .transformable: ((value as? NSArray)?.lastObject as? NSNumber)?.intValue
      }
    guard let number, count.map({ number < $0 }) ?? true else { return nil }
    return number
  }

  /// Texts with small differences (case, precomposed accents, suffixes), in the order of their scalars, which is the
  /// order of their UTF-8 bytes.
  private static let texts = ["A", "Cafe\u{301}", "Caf\u{E9}", "a", "a%_", "b\u{1F600}"]

  private static func index(of text: String) -> Int? {
    texts.firstIndex { $0.unicodeScalars.elementsEqual(text.unicodeScalars) }
  }

  private static func uuid(_ number: Int) -> UUID {
    UUID(
      uuid: (UInt8(truncatingIfNeeded: number), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  }
}
