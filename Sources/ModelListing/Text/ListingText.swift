import DataModels
import Foundation
import PropertyLists

/// Formats names and values of a model for display: on one line, without characters that could control a terminal.
enum ListingText {
  /// A name, quoted unless it is a single word.
  static func name(_ name: String) -> String {
    !name.isEmpty && name.unicodeScalars.allSatisfy(isPlainInName) ? name : quoted(name)
  }

  /// A path or another title, unquoted, with line breaks escaped.
  static func title(_ title: String) -> String { DisplayText.bare(title) }

  /// A string in quotes, escaped as in Swift.
  static func quoted(_ text: String) -> String {
    DisplayText.quoted(text)
  }

  /// A string displayed without quotes, such as a predicate.
  static func bare(_ text: String) -> String { DisplayText.bare(text) }

  /// A number, without a fraction if it is whole.
  static func number(_ number: Double) -> String {
    if let integer = Int64(exactly: number) { return "\(integer)" }
    return "\(number)"
  }

  /// A value in a model.
  static func value(_ value: ModelSchema.Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): quoted(value)
    case .date(let seconds): date(seconds)
    case .data(let bytes): "<\(DisplayText.hex(bytes))>"
    case .uuid(let value): value.uuidString
    case .uri(let value): "<\(bare(value))>"
    case .array(let values): "[" + values.map { Self.value($0) }.joined(separator: ", ") + "]"
    case .dictionary(let values): dictionary(values)
    case .object(let description): "(\(bare(description)))"
    }
  }

  private static func dictionary(_ values: [String: ModelSchema.Value]) -> String {
    let pairs = values.sorted { $0.key < $1.key }
    return "{" + pairs.map { "\(name($0.key)) = \(value($0.value))" }.joined(separator: ", ") + "}"
  }

  /// A date in UTC, or the number of seconds if it isn't whole or is outside the years that ISO 8601 represents with
  /// four digits.
  private static func date(_ seconds: Double) -> String {
    let years1To9999 = -63_114_076_800.0..<252_423_993_600.0
    guard years1To9999.contains(seconds), seconds == seconds.rounded() else {
      return "\(seconds) s since 2001"
    }
    return DateText.iso8601(seconds)
  }

  private static func isPlainInName(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        || "_.-$@".unicodeScalars.contains(scalar)
    }
    return scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
  }
}
