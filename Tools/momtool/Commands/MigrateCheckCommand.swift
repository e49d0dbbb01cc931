import ArgumentParser
import DataModels
import ManagedObjects
import ModelEvolution

/// `momtool migrate-check`: checks whether stores can be migrated.
struct MigrateCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate-check",
    abstract: "Says whether stores migrate without a mapping model, and why or why not.",
    discussion: """
      Two models are judged as they are; of one bundle every other version is judged against the \
      current one: totals, a line for each version, and details of those that can fail. Inputs are as for \
      diff. A mapping model that lies beside the models and is for these two versions is named.

      A migration is possible, possible but failing with certain data (a mandatory attribute without \
      a default, a new uniqueness constraint, …), or not possible. Each reason names the rule it \
      falls under. Where inference doesn't do, stages are suggested.

      EXAMPLES
        momtool migrate-check Shop.xcdatamodeld
        momtool migrate-check git:v1.2:Shop.xcdatamodeld Shop.xcdatamodeld
        momtool migrate-check Old.sqlite New.momd --show-mapping
        momtool migrate-check Old.sqlite New.momd --mapping OldToNew.cdm

      Exit status 1 says that a migration is not possible, or can fail.
      """)

  @Argument(
    help: ArgumentHelp("The old and the new model, or one bundle.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @OptionGroup var report: ReportOptions

  @Flag(help: "Of a bundle show only the versions that can't be migrated, or not with all data.")
  var failing = false

  @Flag(help: "Of a bundle show every change of every version.")
  var details = false

  @Flag(help: "Show the mapping model that is inferred.")
  var showMapping = false

  @Option(
    help: ArgumentHelp(
      "Write the mapping model that is inferred to this file, compiled.", valueName: "file.cdm"),
    completion: .file(extensions: ["cdm"]))
  var mapping: String?

  @Flag(help: "End with status 0 where a migration only fails with certain data.")
  var allowDataFailures = false

  func validate() throws {
    guard (1...2).contains(inputs.count) else {
      throw ValidationError("Give two models, or one bundle.")
    }
    if showMapping || mapping != nil, inputs.count == 1 {
      throw ValidationError("A mapping model is between two models: give both.")
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
          Diagnostic(warning: "this mapping model is for these two versions", path: found.path))
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
          Diagnostic(warning: "there is one version only, and nothing to migrate", path: inputs[0]))
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
