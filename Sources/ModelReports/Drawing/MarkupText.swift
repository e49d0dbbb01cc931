import DataModels

/// Escapes strings from models, which may contain anything, for HTML and SVG.
enum MarkupText {
  /// A string that is safe between tags and in quoted attributes, with replacements for characters that are invisible,
  /// reverse the text, or end the document.
  static func escaped(_ text: String) -> String {
    visible(text).escapingMarkup(inAttribute: true).replacing(scalar: "'", with: "&#39;")
  }

  /// A string in which control characters, and those that change the text direction, are replaced by visible marks.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20:
        result += Unicode.Scalar(0x2400 + scalar.value).map { String(Character($0)) } ?? "\u{FFFD}"
      case _ where isHidden(scalar):
        result += "‹" + String(scalar.value, radix: 16, uppercase: true) + "›"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF,
      0xFFFE, 0xFFFF:
      true
    default: false
    }
  }
}
