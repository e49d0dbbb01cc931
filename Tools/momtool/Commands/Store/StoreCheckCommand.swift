import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelEvolution

/// `momtool store check`: looks a store over.
struct StoreCheckCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a store against its model: rows, keys, relationships, files, history.",
    discussion: """
      Each finding is a line: how bad it is, the rule, where, what, and the keys of the first rows. \
      --list-rules shows all rules.

      The exit status is 1 when there is an error, with --strict also when there is a warning.

      EXAMPLES
        momtool store check Shop.sqlite
        momtool store check Shop.sqlite --model Shop.momd --strict --format json
      """)

  @Argument(help: ArgumentHelp("The SQLite store.", valueName: "store"), completion: .file())
  var store: String?

  @Option(
    help: ArgumentHelp(
      "The model to check against, instead of the store's copy: a .mom, .momd or source.",
      valueName: "model"))
  var model: String?

  @Option(help: "The form: text or json.")
  var format = Format.text

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Report these rules only.", valueName: "rules"))
  var only: [StoreFinding.Rule] = []

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Don't report these rules.", valueName: "rules"))
  var skip: [StoreFinding.Rule] = []

  @Flag(help: "Take warnings as seriously as errors.")
  var strict = false

  @Flag(help: "Show all rules, and check nothing.")
  var listRules = false

  func validate() throws {
    if store == nil, !listRules { throw ValidationError("Name a store to check.") }
  }

  func run() throws {
    guard !listRules, let store else { return try StandardOutput.write(Self.ruleList) }
    let model = try model.map { try StoreInput.model(at: $0, for: store, mustMatch: false) }
    let progress = ProgressLine("checking", unit: "steps")
    let found = try StoreCheck.findings(
      at: URL(fileURLWithPath: store), model: model, progress: progress.show)
    progress.clear()
    let findings = found.filter {
      (only.isEmpty || only.contains($0.rule)) && !skip.contains($0.rule)
    }
    switch format {
    case .text: try StandardOutput.write(findings.map { "\(store): \($0)\n" }.joined())
    case .json: try StandardOutput.write(Self.json(findings, store: store))
    }
    if findings.contains(where: { strict || $0.severity == .error }) {
      throw ExitStatus.findings
    }
  }

  private static func json(_ findings: [StoreFinding], store: String) -> String {
    JSONReport.object([
      "schemaVersion": .integer(1), "store": .text(store),
      "findings": .array(
        findings.map { finding in
          .object([
            "rule": .text(finding.rule.rawValue), "severity": .text(finding.severity.rawValue),
            "subject": finding.subject.map(JSONReport.text) ?? .null,
            "property": finding.property.map(JSONReport.text) ?? .null,
            "message": .text(finding.message), "rowCount": .integer(Int64(finding.rowCount)),
            "rows": .array(finding.rows.map(JSONReport.integer)),
          ])
        }),
    ]).document
  }

  private static var ruleList: String {
    TextRows.aligned(
      StoreFinding.Rule.allCases.map { [$0.rawValue, $0.severity.rawValue, $0.summary] })
  }
}

extension StoreFinding.Rule: ExpressibleByArgument {}
