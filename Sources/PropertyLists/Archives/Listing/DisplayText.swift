/// Formats strings from a file for display: on one line, without characters that could control a terminal.
package enum DisplayText {
  /// A string in quotes, escaped as in Swift.
  package static func quoted(_ text: String) -> String {
    "\"" + escaped(text, quotes: true) + "\""
  }

  /// A string without quotes, such as a predicate.
  package static func bare(_ text: String) -> String { escaped(text, quotes: false) }

  /// The first 40 characters of a string, in quotes.
  static func beginning(of text: String) -> String {
    let start = text.prefix(40)
    return quoted(String(start)) + (start.endIndex == text.endIndex ? "" : "…")
  }

  /// Bytes as hexadecimal digits.
  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
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

  /// Whether a scalar is a control character, or changes the order or position of others.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
      return true
    default:
      return false
    }
  }
}
