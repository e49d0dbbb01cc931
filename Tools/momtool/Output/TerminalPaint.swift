import ModelEvolution
import ModelListing
import PropertyLists

/// Colours listings and reports on a terminal.
enum TerminalPaint {
  /// A function that colours a listing, or leaves it plain.
  static func listing(isOn: Bool) -> ModelTextListing.Paint {
    guard isOn else { return { _, text in text } }
    return { role, text in
      switch role {
      case .keyword: colored(text, "2")
      case .entity: colored(text, "1;34")
      case .property: colored(text, "1")
      case .type: colored(text, "36")
      case .value: colored(text, "32")
      case .plain: text
      }
    }
  }

  /// A function that colours a report, or leaves it plain; what is in names keeps to its line either way.
  static func report(isOn: Bool) -> ReportPaint {
    guard isOn else { return { _, text in DisplayText.bare(text) } }
    return { role, text in
      let text = DisplayText.bare(text)
      return switch role {
      case .heading: colored(text, "1")
      case .added: colored(text, "32")
      case .removed: colored(text, "31")
      case .changed: colored(text, "33")
      case .trouble: colored(text, "1;31")
      case .warning: colored(text, "1;33")
      case .note: colored(text, "2")
      }
    }
  }

  /// Colours the severity in lines of findings, `place: error: what`.
  static func findings(_ text: String, isOn: Bool) -> String {
    guard isOn else { return text }
    let codes = ["error": "1;31", "warning": "1;33"]
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let found = codes.keys.compactMap { word in
        line.range(of: ": \(word): ").map { (word, $0) }
      }.min { $0.1.lowerBound < $1.1.lowerBound }
      guard let (word, range) = found, let code = codes[word] else { return String(line) }
      return line[..<range.lowerBound] + ": \(colored(word, code)): " + line[range.upperBound...]
    }.joined(separator: "\n")
  }

  /// A text in the style of an ANSI "select graphic rendition" code.
  private static func colored(_ text: String, _ code: String) -> String {
    "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
