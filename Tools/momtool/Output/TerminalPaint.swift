import ModelListing

/// The colours of listings on a terminal.
enum TerminalPaint {
  /// The function that colours a listing, or leaves it plain.
  static func paint(isOn: Bool) -> ModelTextListing.Paint {
    guard isOn else { return { _, text in text } }
    return { role, text in
      guard let code = code(role) else { return text }
      return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
  }

  private static func code(_ role: ModelTextListing.Role) -> String? {
    switch role {
    case .keyword: "2"
    case .entity: "1;34"
    case .property: "1"
    case .type: "36"
    case .value: "32"
    case .plain: nil
    }
  }
}
