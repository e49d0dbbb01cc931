import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelEvolution
import PropertyLists

/// `momtool store check`: checks a store.
struct StoreCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a store against its model: rows, keys, relationships, files, history.",
    discussion: """
      Each finding is one line: severity, rule, location, message, and the keys of the first rows. \
      --list-rules lists all rules.

      For a folder, every store inside is checked.

      A store can be checked while programs use it. One that writes it with a rollback journal (the \
      pragma journal_mode) can't save meanwhile, except once after SQLite's own check: its saves \
      wait, and fail when they have waited for too long.

      The exit status is 1 if there are errors, and with --strict also if there are warnings. \
      Warnings concern what also occurs in stores written by Apple's frameworks, which read them \
      nevertheless.

      EXAMPLES
        momtool store check Shop.sqlite
        momtool store check Shop.sqlite --model Shop.momd --strict --format json
      """)

  @Argument(
    help: ArgumentHelp("The SQLite stores, or folders that contain stores.", valueName: "store"),
    completion: .file())
  var stores: [String] = []

  @Option(
    help: ArgumentHelp(
      "The model to check against, instead of the store's copy: a .mom, .momd or source.",
      valueName: "model"))
  var model: String?

  @Option(help: "The output format: text or json.")
  var format = PlainFormat.text

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Report only these rules.", valueName: "rules"))
  var only: [StoreFinding.Rule] = []

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Don't report these rules.", valueName: "rules"))
  var skip: [StoreFinding.Rule] = []

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Flag(help: "List all rules and exit.")
  var listRules = false

  @OptionGroup var colors: ColorOptions

  func validate() throws {
    if stores.isEmpty, !listRules { throw ValidationError("Name a store to check.") }
  }

  func run() throws {
    guard !listRules else { return try StandardOutput.write(Self.ruleList) }
    let isAlone = stores.count == 1 && !StoreFolder.isFolder(stores[0])
    if isAlone {
      let findings = try findings(in: stores[0])
      switch format {
      case .text: try write(findings.map { (stores[0], $0) })
      case .json:
        try StandardOutput.writeReport(
          JSONReport.object(
            Self.json(findings, store: stores[0]).merging(["schemaVersion": .integer(1)]) { $1 }
          ).document)
      }
      return try judge(findings)
    }
    var reader = InputReader()
    let found = stores.flatMap { path in
      (reader.attempt(path) { try StoreFolder.stores(at: path) } ?? []).compactMap { store in
        reader.attempt(store) { (store: store, findings: try findings(in: store)) }
      }
    }
    switch format {
    case .text:
      Self.reportTotals(found.map(\.findings), unread: reader.failures)
      try write(found.flatMap { found in found.findings.map { (found.store, $0) } })
    case .json:
      try StandardOutput.writeReport(
        JSONReport.object([
          "schemaVersion": .integer(1),
          "stores": .array(found.map { .object(Self.json($0.findings, store: $0.store)) }),
        ]).document)
    }
    try reader.finish()
    try judge(found.flatMap(\.findings))
  }

  /// Reports the number of stores checked, since stores without findings are otherwise not mentioned.
  private static func reportTotals(_ findings: [[StoreFinding]], unread: Int) {
    guard !findings.isEmpty else { return }
    let errors = findings.joined().count { $0.severity == .error }
    let sound = findings.count { $0.isEmpty }
    Diagnostics.report(
      Diagnostic(
        warning:
          "\(counted(findings.count, "store")), \(sound) of them without findings, "
          + "\(counted(errors, "error")) and \(counted(findings.joined().count - errors, "warning"))"
          + (unread == 0 ? "" : "; \(unread) can't be checked"), path: "check"))
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// Exits with the status for findings if any of them counts.
  private func judge(_ findings: [StoreFinding]) throws {
    if findings.contains(where: { strict || $0.severity == .error }) {
      throw ExitStatus.findings
    }
  }

  private func findings(in store: String) throws -> [StoreFinding] {
    let input = try StoreInput(store: store, model: model).opened()
    let model = try model.map { try StoreInput.model(at: $0, for: store, mustMatch: false) }
    let progress = ProgressLine("checking", unit: "steps")
    defer { progress.clear() }
    do {
      return try withExtendedLifetime(input) {
        try StoreCheck.findings(at: input.file, model: model, progress: progress.show)
      }.filter { (only.isEmpty || only.contains($0.rule)) && !skip.contains($0.rule) }
    } catch var error as ModelFileError {
      // The path as given by the user.
      error.path = store
      if error.message.hasSuffix("name the model") { error.message += " with --model" }
      throw error
    }
  }

  /// Writes one line per finding.
  private func write(_ findings: [(store: String, finding: StoreFinding)]) throws {
    let text = findings.map { DisplayText.bare("\($0.store): \($0.finding)") + "\n" }.joined()
    try StandardOutput.writeReport(TerminalPaint.findings(text, isOn: colors.isOn))
  }

  private static func json(
    _ findings: [StoreFinding], store: String
  ) -> [String: JSONReport] {
    [
      "store": .text(store),
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
    ]
  }

  private static var ruleList: String {
    TextRows.aligned(
      StoreFinding.Rule.allCases.map { [$0.rawValue, $0.severity.rawValue, $0.summary] })
  }
}

extension StoreFinding.Rule: ExpressibleByArgument {}
