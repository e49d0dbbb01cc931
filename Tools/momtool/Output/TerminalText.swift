/// Prepares text from files for terminals.
enum TerminalText {
  /// Replaces characters that would move the cursor, change colours or reverse the writing direction by visible
  /// symbols, so that a file can't control the terminal.
  ///
  /// - Parameter keepingLines: Whether to keep line endings and tabs.
  static func escaped(_ text: String, keepingLines: Bool) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var escaped = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      defer { previous = scalar }
      switch scalar {
      case "\n", "\r", "\t":
        if keepingLines {
          escaped.append(scalar)
        } else if scalar == "\t" {
          escaped.append(" ")
        } else if !(scalar == "\n" && previous == "\r") {
          escaped.append("⏎")
        }
      case _ where !isControl(scalar): escaped.append(scalar)
      default:
        // The symbols are in the order of the control characters.
        let sign = scalar.value == 0x7F ? 0x2421 : 0x2400 + scalar.value
        if scalar.value < 0x20 || scalar.value == 0x7F, let sign = Unicode.Scalar(sign) {
          escaped.append(sign)
        } else {
          escaped.append(
            contentsOf: "<U+\(String(scalar.value, radix: 16, uppercase: true))>".unicodeScalars)
        }
      }
    }
    return String(escaped)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF:
      true
    default: false
    }
  }
}
