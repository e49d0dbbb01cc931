/// Texts as DOT takes them, whatever characters they hold.
enum DOTText {
  /// A text in quotes.
  ///
  /// Between quotes DOT knows the escape `\"` alone, but a label takes every backslash for an
  /// escape, so a backslash is doubled.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      default: result += shown(scalar)
      }
    }
    return result + "\""
  }

  /// A text inside Graphviz's markup, which is read as XML.
  static func markup(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result += shown(scalar)
      }
    }
    return result.isEmpty ? " " : result
  }

  /// A scalar, or a mark in place of one that XML can't hold.
  private static func shown(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0..<0x20:
      Unicode.Scalar(0x2400 + scalar.value).map { String(Character($0)) } ?? "\u{FFFD}"
    case 0x7F..<0xA0, 0xFFFE, 0xFFFF: "\u{FFFD}"
    default: String(Character(scalar))
    }
  }
}
