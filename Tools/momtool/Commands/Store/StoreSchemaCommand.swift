import ArgumentParser
import DataModels
import ManagedObjects

/// `momtool store schema`: prints the SQL that lays a model's store out.
struct StoreSchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the SQL of a model's store: tables, indexes and triggers as Core Data's.",
    discussion: """
      The names, columns and entity numbers are those that Core Data makes. Of a store its cached \
      model is laid out.
      """)

  @Argument(help: ArgumentHelp("The model.", valueName: "input"), completion: .file())
  var input: String

  @Flag(help: "Print the entities' numbers instead.")
  var numbers = false

  func run() throws {
    var reader = InputReader()
    for loaded in reader.models(at: input, .current) {
      let schema = try StoreSchema(model: loaded.model)
      let lines =
        numbers
        ? schema.entities.map { "\($0.number)\t\($0.name)\t\($0.parentNumber)" }
        : schema.statements.map { $0 + ";" }
      try StandardOutput.write(lines.map { $0 + "\n" }.joined())
    }
    try reader.finish()
  }
}
