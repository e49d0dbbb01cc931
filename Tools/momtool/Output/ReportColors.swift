import ModelEvolution

/// The colours of reports on a terminal.
enum ReportColors {
  /// The function that colours a report, or leaves it plain.
  static func paint(isOn: Bool) -> ReportPaint {
    guard isOn else { return { _, text in text } }
    return { role, text in "\u{1B}[\(code(role))m\(text)\u{1B}[0m" }
  }

  private static func code(_ role: ReportRole) -> String {
    switch role {
    case .heading: "1"
    case .added: "32"
    case .removed: "31"
    case .changed: "33"
    case .trouble: "1;31"
    case .warning: "1;33"
    case .note: "2"
    }
  }
}
