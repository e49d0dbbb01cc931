import ArgumentParser
import ModelEvolution

/// `momtool mapping`: shows compiled mapping models.
struct MappingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mapping",
    abstract: "Shows a mapping model (.cdm, .xcmappingmodel): as text, JSON or Markdown.",
    discussion: """
      For each entity mapping, shows its type, the sources of its properties' values, its migration \
      policy and, in JSON, the version hashes that the models must have.

      EXAMPLES
        momtool mapping Shop2to3.cdm
        momtool mapping Shop2to3.cdm --format json | jq '.reports[0].entityMappings[].name'
      """)

  @Argument(help: ArgumentHelp("The mapping models.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup var report: ReportOptions

  func run() throws {
    var reader = InputReader()
    let reports = inputs.compactMap { input in
      reader.attempt(input) {
        MappingReport(try MappingInput.mapping(at: input))
      }
    }
    if !reports.isEmpty { try report.write(reports) }
    try reader.finish()
  }
}
