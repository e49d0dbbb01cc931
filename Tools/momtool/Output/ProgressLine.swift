import Foundation

/// A progress line on standard error, shown only on a terminal.
struct ProgressLine {
  private let verb: String
  private let unit: String
  /// Whether the line is shown.
  let isOn = isatty(STDERR_FILENO) == 1

  /// - Parameters:
  ///   - verb: The activity.
  ///   - unit: The unit being counted.
  init(_ verb: String, unit: String) {
    self.verb = verb
    self.unit = unit
  }

  private static let width = 30

  /// Shows that `done` of `total` units are completed.
  func show(_ done: Int, _ total: Int) {
    guard isOn, total > 0 else { return }
    let filled = min(Self.width, done * Self.width / total)
    let bar =
      String(repeating: "#", count: filled)
      + String(repeating: ".", count: Self.width - filled)
    write("\r\(verb) [\(bar)] \(done) of \(total) \(unit)\u{1B}[K")
  }

  /// Removes the line.
  func clear() {
    if isOn { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) { Diagnostics.writeAsFarAsPossible(text) }
}
