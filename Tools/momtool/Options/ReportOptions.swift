import ArgumentParser
import ModelEvolution

/// The format of a report.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, markdown
}

/// How a report is printed.
struct ReportOptions: ParsableArguments {
  @Option(help: "The output format: text, json, or markdown for a pull request.")
  var format = ReportFormat.text

  @OptionGroup var colors: ColorOptions

  /// Prints reports: text reports one after the other, JSON as a single document.
  func write(_ reports: [any ModelReport]) throws {
    switch format {
    case .text:
      let paint = TerminalPaint.report(isOn: colors.isOn)
      try StandardOutput.writeReport(reports.map { $0.text(paint: paint) }.joined(separator: "\n"))
    case .markdown:
      try StandardOutput.writeReport(reports.map(\.markdown).joined(separator: "\n"))
    case .json:
      try StandardOutput.writeReport(
        JSONReport.object([
          "schemaVersion": .integer(1), "reports": .array(reports.map(\.json)),
        ]).document)
    }
  }
}
