/// Formats a tree exactly as Xcode formats a model's `contents`: an indentation of four spaces, empty elements as a
/// single tag, and no line feed at the end.
enum SourceFormatter {
  /// - Parameters:
  ///   - trailingComments: The comments after the root element.
  ///   - form: The form of the file, which determines the encoding in the declaration and the end of the last line.
  static func format(
    _ root: SourceElement, trailingComments: [String] = [], form: SourceForm = SourceForm()
  ) -> String {
    var text = #"<?xml version="1.0" encoding="\#(form.encodingName)" standalone="yes"?>"#
    text.reserveCapacity(4096)
    append(root, indent: 0, to: &text)
    for comment in trailingComments { append(comment: comment, indent: 0, to: &text) }
    if form.endsWithLineFeed { text += "\n" }
    return text
  }

  private static func append(_ element: SourceElement, indent: Int, to text: inout String) {
    for comment in element.comments { append(comment: comment, indent: indent, to: &text) }
    startLine(indent: indent, in: &text)
    text += "<"
    text += element.name
    for attribute in element.attributes {
      text += " "
      text += attribute.name
      text += "=\""
      appendEscaped(attribute.value, isAttribute: true, to: &text)
      text += "\""
    }
    if element.children.isEmpty && element.text.isEmpty && element.innerComments.isEmpty {
      text += "/>"
      return
    }
    text += ">"
    appendEscaped(element.text, isAttribute: false, to: &text)
    for child in element.children { append(child, indent: indent + 1, to: &text) }
    for comment in element.innerComments {
      append(comment: comment, indent: indent + 1, to: &text)
    }
    if !element.children.isEmpty || !element.innerComments.isEmpty {
      startLine(indent: indent, in: &text)
    }
    text += "</"
    text += element.name
    text += ">"
  }

  /// The lines of an element's text.
  static func lines(of element: SourceElement) -> [Substring] {
    var text = ""
    append(element, indent: 0, to: &text)
    return text.split(separator: "\n")
  }

  private static func append(comment: String, indent: Int, to text: inout String) {
    startLine(indent: indent, in: &text)
    text += markup(ofComment: comment)
  }

  /// A comment with its delimiters; a processing instruction already has them.
  static func markup(ofComment comment: String) -> String {
    comment.hasPrefix("<?") ? comment : "<!--\(comment)-->"
  }

  private static func startLine(indent: Int, in text: inout String) {
    text += "\n"
    for _ in 0..<indent { text += "    " }
  }

  private static func appendEscaped(_ value: String, isAttribute: Bool, to text: inout String) {
    guard value.utf8.contains(where: { needsEscape($0) }) else {
      text += value
      return
    }
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"" where isAttribute: text += "&quot;"
      case "\n" where isAttribute: text += "&#10;"
      case "\t" where isAttribute: text += "&#9;"
      case "\r": text += "&#13;"
      default: text.unicodeScalars.append(writable(scalar))
      }
    }
  }

  /// A character, or one in place of it: XML 1.0 can't represent most control characters, not even as references.
  static func writable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "\t", "\n", "\r": scalar
    case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
    default: scalar
    }
  }

  /// Whether a text is written as it is.
  static func canWrite(_ text: String) -> Bool {
    !text.utf8.contains { $0 < 0x20 || $0 == highByte }
      || text.unicodeScalars.allSatisfy { writable($0) == $0 }
  }

  /// The first byte of the characters that are none, U+FFFE and U+FFFF, among others.
  private static let highByte: UInt8 = 0xEF

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == highByte || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "<")
      || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\"")
  }
}
