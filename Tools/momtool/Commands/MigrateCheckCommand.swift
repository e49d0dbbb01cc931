import ArgumentParser
import DataModels
import ManagedObjects
import ModelEvolution

/// `momtool migrate-check`: checks whether stores can be migrated.
struct MigrateCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate-check",
    abstract: "Checks whether stores can be migrated without a mapping model, and why not.",
    discussion: """
      Two models are compared as they are. For a single bundle, every other version is compared with \
      the current one: totals, one line per version, and details of those that can fail. Inputs are \
      as for diff. A mapping model for the two versions is mentioned if it is in the same folder.

      A migration is possible, possible but failing with certain data (a mandatory attribute without \
      a default value, a new uniqueness constraint, …), or not possible. Each reason names its rule. \
      If inference isn't sufficient, stages are suggested.

      EXAMPLES
        momtool migrate-check Shop.xcdatamodeld
        momtool migrate-check git:v1.2:Shop.xcdatamodeld Shop.xcdatamodeld
        momtool migrate-check Old.sqlite New.momd --show-mapping
        momtool migrate-check Old.sqlite New.momd --mapping OldToNew.cdm

      The exit status is 1 if a migration is not possible, or can fail.
      """)

  @Argument(
    help: ArgumentHelp("The old and the new model, or one bundle.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @OptionGroup var report: ReportOptions

  @Flag(help: "For a bundle, show only versions whose migration is impossible or can fail.")
  var failing = false

  @Flag(help: "For a bundle, show every change of every version.")
  var details = false

  @Flag(help: "Show the inferred mapping model.")
  var showMapping = false

  @Option(
    help: ArgumentHelp(
      "Write the inferred mapping model to this file, compiled.", valueName: "file.cdm"),
    completion: .file(extensions: ["cdm"]))
  var mapping: String?

  @Flag(help: "Exit with status 0 if a migration fails only with certain data.")
  var allowDataFailures = false

  func validate() throws {
    guard (1...2).contains(inputs.count) else {
      throw ValidationError("Give two models, or one bundle.")
    }
    if showMapping || mapping != nil, inputs.count == 1 {
      throw ValidationError("A mapping model needs two models: give both.")
    }
  }

  func run() throws {
    let read = try inputs.map { path in
      try HistoryInput.required(path, reading: inputs.count == 1 ? .readable : .selected)
    }
    var reports: [any ModelReport] = []
    let routes: [MigrationPlan.Route]
    if let new = read.dropFirst().first, let old = read.first {
      let models = (try old.model(), try new.model())
      let verdict = MigrationVerdict(from: models.0, to: models.1)
      let made = MigrationReport(verdict, from: old.title, to: new.title)
      if let found = MappingSearch(beside: inputs[1]).mapping(from: models.0, to: models.1) {
        Diagnostics.report(
          Diagnostic(
            warning: "this mapping model migrates between these versions", path: found.path))
      }
      routes = made.routes
      reports.append(made)
      if showMapping || mapping != nil, verdict.outcome != .impossible {
        let inferred = try NSMappingModel.inferredMappingModel(
          forSourceModel: models.0, destinationModel: models.1)
        if showMapping { reports.append(MappingReport(inferred)) }
        if let mapping {
          try InputReader.reported(mapping) {
            try InputFile.write(MappingArchive.encode(inferred), to: mapping)
          }
        }
      }
    } else {
      let plan = try InputReader.reported(inputs[0]) { try MigrationPlan(for: read[0].history) }
      guard !plan.routes.isEmpty else {
        Diagnostics.report(
          Diagnostic(
            warning: "there is only one version, so there is nothing to migrate", path: inputs[0]))
        return
      }
      routes = plan.routes
      var report = MigrationReport(plan)
      report.isSummary = !details
      report.showsFailingOnly = failing
      reports.append(report)
    }
    try report.write(reports)
    let outcomes = routes.map(\.verdict.outcome)
    if outcomes.contains(.impossible) || !allowDataFailures && outcomes.contains(.failsWithData) {
      throw ExitStatus.findings
    }
  }
}
