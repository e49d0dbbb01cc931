import Foundation
import MomKit

/// A value in JSON. The model decides what it means: a string may be text, a UUID or the Base64 form of bytes, and a
/// number may be a date, in microseconds since 1970.
package enum WireValue: Codable, Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  /// A list of single values: lists within lists are refused, so nothing recurses as deeply as its input wants.
  case list([WireValue])

  package init(from decoder: any Decoder) throws {
    if let single = try? Self(single: decoder.singleValueContainer()) {
      self = single
      return
    }
    var members: [WireValue] = []
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { members.append(try container.decode(Single.self).value) }
    self = .list(members)
  }

  /// A value that isn't a list.
  private struct Single: Decodable {
    let value: WireValue

    init(from decoder: any Decoder) throws {
      value = try WireValue(single: decoder.singleValueContainer())
    }
  }

  private init(single container: any SingleValueDecodingContainer) throws {
    if container.decodeNil() {
      self = .null
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else {
      self = .number(try container.decode(Double.self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .list(let members): try container.encode(members)
    }
  }

  /// About how many bytes the value takes in JSON.
  package var size: Int {
    switch self {
    case .string(let text): text.utf8.count + 2
    case .list(let members): members.reduce(2) { $0 + $1.size }
    default: 8
    }
  }
}

/// Attributes' values.
extension WireValue {
  /// Creates the form in which an attribute's value travels.
  package init(_ value: Any?, _ type: NSAttributeType) {
    switch (type, value) {
    case (_, nil): self = .null
    case (.booleanAttributeType, let flag as Bool): self = .bool(flag)
    case (.dateAttributeType, let date as Date):
      self = Self.microseconds(date).map { .integer($0) } ?? .null
    case (.UUIDAttributeType, let identifier as UUID): self = .string(identifier.uuidString)
    case (.binaryDataAttributeType, let bytes as Data): self = .string(bytes.base64EncodedString())
    case (_, let text as String): self = .string(text)
    case (.doubleAttributeType, let number as Double): self = .number(number)
    case (_, let number as NSNumber): self = .integer(number.int64Value)
    default: self = .null
    }
  }

  /// The value for an attribute.
  ///
  /// - Throws: ``Mismatch`` if the attribute can't have this value.
  package func value(_ type: NSAttributeType) throws -> Any? {
    func integer<Number: FixedWidthInteger>(_ integer: Int64) throws -> Number {
      guard let number = Number(exactly: integer) else { throw Mismatch("is too large") }
      return number
    }
    switch (type, self) {
    case (_, .null): return nil
    case (.booleanAttributeType, .bool(let flag)): return flag
    case (.integer16AttributeType, .integer(let number)): return try integer(number) as Int16
    case (.integer32AttributeType, .integer(let number)): return try integer(number) as Int32
    case (.integer64AttributeType, .integer(let number)): return number
    case (.doubleAttributeType, .integer(let number)): return Double(number)
    case (.doubleAttributeType, .number(let number)): return number
    case (.dateAttributeType, .integer(let number)):
      guard let date = Self.date(number) else {
        throw Mismatch("is not a date between the years 1 and 9999")
      }
      return date
    case (.stringAttributeType, .string(let text)):
      guard !text.utf8.contains(0) else { throw Mismatch("contains a NUL character") }
      return text
    case (.UUIDAttributeType, .string(let text)):
      guard let identifier = UUID(uuidString: text) else { throw Mismatch("isn't a UUID") }
      return identifier
    case (.binaryDataAttributeType, .string(let text)):
      guard let bytes = Data(base64Encoded: text) else { throw Mismatch("isn't Base64") }
      return bytes
    default: throw Mismatch("has the wrong type")
    }
  }

  // MARK: Dates

  /// From 1970, the beginning of dates on the wire, to 2001, that of `Date`.
  private static let microsecondsTo2001: Int64 = 978_307_200_000_000
  /// Years 1 to 9999: every store keeps them, and so does every calendar.
  private static let dates: Range<Int64> = -62_135_596_800_000_000..<253_402_300_800_000_000

  /// Returns the nearest microsecond, which is what PostgreSQL keeps of a date.
  private static func microseconds(_ date: Date) -> Int64? {
    let seconds = date.timeIntervalSinceReferenceDate
    let whole = seconds.rounded(.down)
    guard abs(whole) < 1e12 else { return nil }
    // Only the fraction is multiplied: the product with the whole would be rounded a second time.
    return Int64(whole) * 1_000_000 + Int64(((seconds - whole) * 1_000_000).rounded())
      + microsecondsTo2001
  }

  private static func date(_ microseconds: Int64) -> Date? {
    guard dates.contains(microseconds) else { return nil }
    let (whole, rest) = (microseconds - microsecondsTo2001)
      .quotientAndRemainder(dividingBy: 1_000_000)
    return Date(timeIntervalSinceReferenceDate: Double(whole) + Double(rest) / 1_000_000)
  }

  /// The identifiers of a relationship's objects.
  ///
  /// - Throws: ``Mismatch`` if the relationship can't have this value.
  package func identifiers(_ relationship: NSRelationshipDescription) throws -> [UUID] {
    func identifier(_ value: WireValue) throws -> UUID {
      guard case .string(let text) = value, let identifier = UUID(uuidString: text) else {
        throw Mismatch("isn't a UUID")
      }
      return identifier
    }
    switch self {
    case .null where !relationship.isToMany: return []
    case .list(let members) where relationship.isToMany: return try members.map(identifier)
    case .string where !relationship.isToMany: return [try identifier(self)]
    default: throw Mismatch("has the wrong type")
    }
  }

  /// What is wrong with a value, as the end of a sentence.
  package struct Mismatch: Error {
    package let text: String

    init(_ text: String) { self.text = text }
  }
}
