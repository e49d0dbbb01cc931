import ArgumentParser
import Foundation

/// Whether text is coloured.
struct ColorOptions: ParsableArguments {
  /// When to colour.
  enum Choice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
  }

  @Option(
    help: ArgumentHelp(
      "Color the output: auto, always or never.",
      discussion: "auto colors it on a terminal, unless NO_COLOR is set.", valueName: "when"))
  var color = Choice.auto

  /// Whether to colour standard output.
  var isOn: Bool {
    switch color {
    case .always: return true
    case .never: return false
    case .auto:
      let environment = ProcessInfo.processInfo.environment
      return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        && StandardOutput.isTerminal
    }
  }
}
