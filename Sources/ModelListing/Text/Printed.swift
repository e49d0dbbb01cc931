import Foundation

/// How names and values of a model are shown: on one line, with nothing in them that could steer
/// a terminal.
enum Printed {
  /// A name: bare where it reads as one word, else quoted.
  static func name(_ name: String) -> String {
    !name.isEmpty && name.unicodeScalars.allSatisfy(isPlainInName) ? name : quoted(name)
  }

  /// A text in quotes, with escapes as in Swift.
  static func quoted(_ text: String) -> String {
    "\"" + escaped(text, quotes: true) + "\""
  }

  /// A text that is shown without quotes, such as a predicate.
  static func bare(_ text: String) -> String { escaped(text, quotes: false) }

  /// A number, without a fraction where it has none.
  static func number(_ number: Double) -> String {
    if let integer = Int64(exactly: number) { return "\(integer)" }
    return "\(number)"
  }

  /// A value of a model.
  static func value(_ value: ModelSchema.Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): quoted(value)
    case .date(let seconds): date(seconds)
    case .data(let bytes): "<\(bytes.map { hex($0) }.joined())>"
    case .uuid(let value): value.uuidString
    case .uri(let value): "<\(bare(value))>"
    case .array(let values): "[" + values.map { Self.value($0) }.joined(separator: ", ") + "]"
    case .dictionary(let values): dictionary(values)
    case .object(let description): "(\(bare(description)))"
    }
  }

  /// Bytes as hexadecimal digits.
  static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }

  private static func dictionary(_ values: [String: ModelSchema.Value]) -> String {
    let pairs = values.sorted { $0.key < $1.key }
    return "{" + pairs.map { "\(name($0.key)) = \(value($0.value))" }.joined(separator: ", ") + "}"
  }

  /// A date as UTC time, and as the number where it has fractions of a second or lies outside the
  /// years that ISO 8601 writes with four digits.
  private static func date(_ seconds: Double) -> String {
    let years1To9999 = -63_114_076_800.0..<252_423_993_600.0
    guard years1To9999.contains(seconds), seconds == seconds.rounded() else {
      return "\(seconds) s since 2001"
    }
    return Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
  }

  private static func isPlainInName(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        || "_.-$@".unicodeScalars.contains(scalar)
    }
    return scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\"" where quotes: result += "\\\""
      case "\\" where quotes: result += "\\\\"
      default:
        if isInvisible(scalar) {
          result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// Control characters, and those that change the order or the place of others.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }
}
