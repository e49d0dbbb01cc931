import Foundation
import PredicateFormat
import PropertyLists

extension ArchiveFoundationValue {
  /// The value as its Swift type: `String`, `Int`, `[Any]`, `Set<AnyHashable>`, `[String: Any]`, `Date` and so on; an
  /// `NSOrderedSet`, for which Swift has no type, as itself.
  var any: Any {
    switch self {
    case .null: NSNull()
    case .string(let text): text
    case .boolean(let value): value
    case .integer(let value): value
    case .unsigned(let value): value
    case .double(let value): value
    case .decimal(let decimal): decimal.decimal
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): Data(bytes)
    case .uuid(let bytes): UUID(archivedBytes: bytes).map { $0 as Any } ?? Data(bytes)
    case .url(let text, let base):
      URL(archivedText: text, base: base).map { $0 as Any } ?? text
    case .array(let members): members.map(\.any)
    // Foundation's own decimal numbers can't be hashed.
    case .orderedSet(let members):
      NSOrderedSet(array: members.map { HashableDecimalNumber.hashable($0.any) })
    case .set(let members): Set(members.map(\.hashable))
    case .dictionary(let entries):
      Dictionary(entries.map { ($0.key, $0.value.any) }) { first, _ in first }
    case .table(let rows):
      Dictionary(
        rows.map { ($0.key.hashable, $0.value.any) }
      ) { first, _ in first }
    case .mutable(let value): value.any
    }
  }

  /// The value as a member of a set or a key: of its Swift type, if that can be one, otherwise as it is.
  private var hashable: AnyHashable { (any as? AnyHashable) ?? AnyHashable(self) }

  /// Converts a value of any of the types that ``any`` returns, or of their Foundation equivalents.
  ///
  /// Dictionaries and sets are unordered; their elements are sorted by their textual form, sets' by that of what is
  /// archived.
  ///
  /// - Returns: `nil` for a value of another type.
  init?(_ value: Any) {
    if let text = value as? String {
      self = .string(text)
      return
    }
    if let number = PlainNumber(value) {
      self.init(number: number)
      return
    }
    switch value {
    case let value as Date: self = .date(value.timeIntervalSinceReferenceDate)
    case let value as Data: self = .data(Array(value))
    case let value as UUID: self = .uuid(value.archivedBytes)
    case let value as URL: self = .url(value.relativeString, base: value.baseURL?.absoluteString)
    case let value as [Any]:
      guard let members = Self.members(value) else { return nil }
      self = .array(members)
    case let value as [String: Any]:
      let entries = value.sorted { $0.key < $1.key }.compactMap { entry in
        ArchiveFoundationValue(entry.value).map { Entry(entry.key, $0) }
      }
      guard entries.count == value.count else { return nil }
      self = .dictionary(entries)
    case let value as [AnyHashable: Any]:
      let rows = value.sorted { "\($0.key)" < "\($1.key)" }.compactMap { key, value in
        ArchiveFoundationValue(key.base).flatMap { key in
          ArchiveFoundationValue(value).map { Row(key, $0) }
        }
      }
      guard rows.count == value.count else { return nil }
      self = .table(rows)
    case let value as NSOrderedSet:
      guard let members = Self.members(value.array) else { return nil }
      self = .orderedSet(members)
    case let value as Set<AnyHashable>:
      guard let members = Self.members(value.map(\.base)) else { return nil }
      self = .set(Self.sorted(members))
    case let value as NSSet:
      guard let members = Self.members(value.allObjects) else { return nil }
      self = .set(Self.sorted(members))
    case let value as ArchiveFoundationValue: self = value
    case is NSNull: self = .null
    case let value as NSString: self = .string("\(value)")
    default: return nil
    }
  }

  /// The members of a collection; nil if one of them can't be converted.
  private static func members(_ values: [Any]) -> [ArchiveFoundationValue]? {
    let members = values.compactMap(ArchiveFoundationValue.init)
    return members.count == values.count ? members : nil
  }

  private static func sorted(_ members: [ArchiveFoundationValue]) -> [ArchiveFoundationValue] {
    members.map { (text: "\($0)", value: $0) }.sorted { $0.text < $1.text }.map(\.value)
  }

  /// Converts a number.
  package init(number: PlainNumber) {
    switch number {
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    case .real(let value): self = .double(value)
    case .decimal(let value): self = .decimal(ArchiveDecimal(value))
    }
  }
}

extension ArchiveDecimal {
  /// The number as a `Decimal`. A mantissa with more than its 38 digits is rounded.
  var decimal: Decimal {
    if isNaN { return .nan }
    // Parsed from a string, because a sum of powers of ten would lose the exponent of a zero.
    let digits = String(mantissa)
    let fraction =
      mantissa == 0 && exponent < 0 ? "." + String(repeating: "0", count: -exponent) : ""
    let power = mantissa == 0 ? "" : "e\(exponent)"
    return Decimal(string: (isNegative ? "-" : "") + digits + fraction + power) ?? .nan
  }

  /// Converts a `Decimal`.
  init(_ decimal: Decimal) {
    if decimal.isNaN {
      self.init(mantissa: 0, isNegative: true)
      return
    }
    let significand = UInt128("\(decimal.significand.magnitude)") ?? 0
    self.init(
      mantissa: significand, exponent: decimal.exponent,
      isNegative: decimal.sign == .minus && significand != 0)
  }
}

extension UUID {
  /// Creates a UUID from 16 bytes.
  init?(archivedBytes bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// The 16 bytes.
  var archivedBytes: [UInt8] {
    withUnsafeBytes(of: uuid) { Array($0) }
  }
}

extension URL {
  /// Creates a URL from its string and that of its base URL.
  init?(archivedText text: String, base: String?) {
    self.init(string: text, relativeTo: base.flatMap { URL(string: $0) })
  }
}
