import DataModels
import Foundation
@_spi(Engines) import MomKit

/// Composite attribute values as JSON objects, keyed by element name. Dates are in ISO 8601; UUIDs and decimals are
/// strings (so decimals keep all their digits); binary data is in Base64.
enum CompositeJSON {
  /// The maximum nesting depth of composite attributes.
  private static let deepest = 64

  static func data(
    _ values: [String: Any], _ composite: NSCompositeAttributeDescription
  ) throws -> Data {
    try JSONSerialization.data(
      withJSONObject: object(values, composite, depth: 0), options: [.sortedKeys])
  }

  private static func object(
    _ values: [String: Any], _ composite: NSCompositeAttributeDescription, depth: Int
  ) throws -> [String: Any] {
    var object: [String: Any] = [:]
    guard depth < deepest else { return object }
    for element in composite.elements {
      guard let value = values[element.name], !(value is NSNull) else { continue }
      if let nested = element as? NSCompositeAttributeDescription {
        guard let values = value as? [String: Any] else { continue }
        object[element.name] = try Self.object(values, nested, depth: depth + 1)
      } else {
        object[element.name] = try json(value, element)
      }
    }
    return object
  }

  static func json(_ value: Any, _ element: NSAttributeDescription) throws -> Any? {
    switch element.attributeType {
    case .booleanAttributeType: return (value as? NSNumber)?.boolValue ?? value as? Bool
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return (value as? NSNumber)?.int64Value ?? (value as? Int).map { Int64($0) }
    case .doubleAttributeType, .floatAttributeType:
      guard var number = (value as? NSNumber)?.doubleValue ?? value as? Double else { return nil }
      if element.attributeType == .floatAttributeType { number = Double(Float(number)) }
      // JSON has neither infinity nor NaN, and PostgreSQL's no negative zero.
      let isPlain = number.isFinite && !(number == 0 && number.sign == .minus)
      return isPlain ? number : "\(number)"
    case .decimalAttributeType:
      if let number = value as? NSNumber { return number.decimalValue.description }
      return (value as? Decimal)?.description
    case .stringAttributeType:
      guard let text = value as? String else { return nil }
      try PostgreSQLCodec.check(text, element.name)
      return text
    case .dateAttributeType:
      guard let date = value as? Date else { return nil }
      return ISODate.text(try PostgreSQLCodec.microseconds(of: date, element.name))
    case .binaryDataAttributeType: return (value as? Data)?.base64EncodedString()
    case .UUIDAttributeType: return (value as? UUID)?.uuidString
    case .URIAttributeType: return (value as? URL)?.absoluteString
    case .transformableAttributeType:
      return try ValueBox(value).bytes(for: element).base64EncodedString()
    case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
    }
  }

  /// Returns the values of a JSON object, or nil if the data isn't one.
  static func values(
    _ data: Data, _ composite: NSCompositeAttributeDescription
  ) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: data)).flatMap { $0 as? [String: Any] }
      .map { values($0, composite, depth: 0) }
  }

  private static func values(
    _ object: [String: Any], _ composite: NSCompositeAttributeDescription, depth: Int
  ) -> [String: Any] {
    var values: [String: Any] = [:]
    guard depth < deepest else { return values }
    for element in composite.elements {
      guard let json = object[element.name] else { continue }
      if let nested = element as? NSCompositeAttributeDescription {
        if let inner = json as? [String: Any] {
          let inner = Self.values(inner, nested, depth: depth + 1)
          if !inner.isEmpty { values[element.name] = inner }
        }
      } else {
        values[element.name] = value(json, element)
      }
    }
    return values
  }

  static func value(_ json: Any, _ element: NSAttributeDescription) -> Any? {
    switch element.attributeType {
    case .booleanAttributeType: return (json as? NSNumber).map { NSNumber(value: $0.boolValue) }
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return (json as? NSNumber).map { NSNumber(value: $0.int64Value) }
    case .doubleAttributeType:
      return double(json).map { NSNumber(value: $0) }
    case .floatAttributeType: return double(json).map { NSNumber(value: Float($0)) }
    case .decimalAttributeType:
      if let text = json as? String {
        return Decimal(string: text).map { NSDecimalNumber(decimal: $0) }
      }
      return (json as? NSNumber).map { NSDecimalNumber(decimal: $0.decimalValue) }
    case .stringAttributeType: return json as? String
    case .dateAttributeType:
      return (json as? String).flatMap { ISODate.microseconds($0) }.map {
        Date(timeIntervalSinceReferenceDate: PostgreSQLTimestamp.seconds($0))
      }
    case .binaryDataAttributeType: return (json as? String).flatMap { Data(base64Encoded: $0) }
    case .UUIDAttributeType: return (json as? String).flatMap { UUID(uuidString: $0) }
    case .URIAttributeType: return (json as? String).flatMap { URL(string: $0) }
    case .transformableAttributeType:
      return (json as? String).flatMap { Data(base64Encoded: $0) }
        .map { ValueBox.value(of: $0, for: element) }
    case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
    }
  }

  /// Returns the nearest double to a number. `JSONSerialization` reads those with many digits as decimals, whose
  /// conversion to doubles isn't exact.
  private static func double(_ json: Any) -> Double? {
    switch json {
    case let decimal as NSDecimalNumber: Double(decimal.stringValue)
    case let number as NSNumber: number.doubleValue
    case let text as String: Double(text)
    default: nil
    }
  }
}

/// ISO 8601 dates with microseconds, in the proleptic Gregorian calendar that PostgreSQL uses.
enum ISODate {
  static func text(_ microseconds: Int64) -> String {
    if microseconds == .max { return "infinity" }
    if microseconds == .min { return "-infinity" }
    let day = Int64(86_400_000_000)
    var days = microseconds / day
    var rest = microseconds % day
    if rest < 0 {
      rest += day
      days -= 1
    }
    // Days since 1 March of year 0, in eras of 400 years.
    let shifted = days + 730_425
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthPart = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * monthPart + 2) / 5 + 1
    let month = monthPart < 10 ? monthPart + 3 : monthPart - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let seconds = rest / 1_000_000
    func padded(_ number: Int64, _ width: Int) -> String {
      let text = String(number.magnitude)
      return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - text.count))
        + text
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
      + "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))."
      + "\(padded(rest % 1_000_000, 6))Z"
  }

  static func microseconds(_ text: String) -> Int64? {
    if text == "infinity" { return .max }
    if text == "-infinity" { return .min }
    let halves = text.split(separator: "T")
    guard halves.count == 2 else { return nil }
    let isNegative = halves[0].hasPrefix("-")
    let date = halves[0].split(separator: "-").compactMap { Int64($0) }
    let time = halves[1].dropLast(halves[1].hasSuffix("Z") ? 1 : 0).split(separator: ":")
    guard date.count == 3, time.count == 3, let hour = Int64(time[0]), let minute = Int64(time[1]),
      (0...24).contains(hour), (0...59).contains(minute), date[0] < 400_000,
      (1...12).contains(date[1]), (1...31).contains(date[2])
    else { return nil }
    let parts = time[2].split(separator: ".")
    guard let second = parts.first.flatMap({ Int64($0) }), (0...60).contains(second) else {
      return nil
    }
    var fraction = parts.count > 1 ? String(parts[1].prefix(6)) : ""
    fraction += String(repeating: "0", count: 6 - fraction.count)
    guard let millionths = Int64(fraction) else { return nil }
    let year = (isNegative ? -date[0] : date[0]) - (date[1] <= 2 ? 1 : 0)
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (date[1] > 2 ? date[1] - 3 : date[1] + 9) + 2) / 5 + date[2] - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 730_425
    return (days * 86_400 + hour * 3600 + minute * 60 + second) * 1_000_000 + millionths
  }
}
