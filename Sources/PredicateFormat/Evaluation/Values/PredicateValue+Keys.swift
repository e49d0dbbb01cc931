import Foundation

extension PredicateValue {
  /// The value for a single key.
  ///
  /// For a collection, the result is the collection of its elements' values; for nil, it is nil. Strings, numbers,
  /// dates and URLs support the few keys that predicates use, such as `length`.
  package func value(forKey key: String) throws(PredicateFormatError) -> PredicateValue {
    if key == "self" { return self }
    switch self {
    case .null, .nsNull: return .null
    case .object(let object):
      guard let readable = object.base as? any KeyValueReadable else {
        throw PredicateFormatError(
          .undefinedKey,
          "\(type(of: object.base)) has no key '\(key)': it isn't KeyValueReadable")
      }
      return try readable.predicateValue(forKey: key)
    case .dictionary(let entries):
      return entries.first { $0.key == .string(key) }?.value ?? .null
    case .array(let elements), .orderedSet(let elements):
      return .array(try Self.map(elements, key))
    case .set(let elements): return .set(Self.distinct(try Self.map(elements, key)))
    default:
      guard let value = ownValue(forKey: key) else {
        throw PredicateFormatError(.undefinedKey, "\(kind) has no key '\(key)'")
      }
      return value
    }
  }

  private static func map(
    _ elements: [PredicateValue], _ key: String
  ) throws(PredicateFormatError) -> [PredicateValue] {
    var values: [PredicateValue] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(try element.value(forKey: key)) }
    return values
  }

  private func ownValue(forKey key: String) -> PredicateValue? {
    if key == "description" { return Casting.string(self).map { .string($0) } }
    switch self {
    case .string(let string): return Self.value(ofString: string, key)
    case .date(let date):
      switch key {
      case "timeIntervalSinceReferenceDate": return .double(date.timeIntervalSinceReferenceDate)
      case "timeIntervalSince1970": return .double(date.timeIntervalSince1970)
      default: return nil
      }
    case .data(let data): return key == "length" ? .integer(Int64(data.count)) : nil
    case .uuid(let uuid): return key == "UUIDString" ? .string(uuid.uuidString) : nil
    case .url(let url): return Self.value(ofURL: url, key)
    default: return NumericValue(self).flatMap { Self.value(ofNumber: $0, key) }
    }
  }

  private static func value(ofString string: String, _ key: String) -> PredicateValue? {
    switch key {
    case "length": .integer(Int64(string.utf16.count))
    case "uppercaseString": .string(string.uppercased())
    case "lowercaseString": .string(string.lowercased())
    case "capitalizedString": .string(string.capitalized)
    case "intValue", "integerValue", "longLongValue":
      .integer(LeadingNumber.integer(of: string).value)
    case "doubleValue", "floatValue": .double(LeadingNumber.double(of: string))
    case "boolValue": .bool(LeadingNumber.bool(of: string))
    case "lastPathComponent": .string((string as NSString).lastPathComponent)
    case "pathExtension": .string((string as NSString).pathExtension)
    default: nil
    }
  }

  private static func value(ofURL url: URL, _ key: String) -> PredicateValue? {
    switch key {
    case "absoluteString": .string(url.absoluteString)
    case "path": .string(url.path)
    case "host": url.host.map { .string($0) } ?? .null
    case "scheme": url.scheme.map { .string($0) } ?? .null
    case "lastPathComponent": .string(url.lastPathComponent)
    case "pathExtension": .string(url.pathExtension)
    default: nil
    }
  }

  private static func value(ofNumber number: NumericValue, _ key: String) -> PredicateValue? {
    switch key {
    case "intValue", "integerValue", "longLongValue":
      Int64(exactly: number.double.rounded(.towardZero)).map { .integer(number.integer ?? $0) }
    case "doubleValue", "floatValue": .double(number.double)
    case "boolValue": .bool(number.double != 0)
    case "stringValue": Casting.string(number.value).map { .string($0) }
    default: nil
    }
  }
}
