import ArgumentParser
import DataModels
import ManagedObjects
import ModelEvolution

/// `momtool store schema`: prints the SQL schema of a model's store.
struct StoreSchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the SQL schema of a model's store: Core Data's tables, indexes and triggers.",
    discussion: """
      Names, columns and entity numbers are those of Core Data. For a store, its cached model is \
      used.
      """)

  @Argument(
    help: ArgumentHelp("The models, stores, or folders that contain them.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @Flag(help: "Print the entities' numbers instead.")
  var numbers = false

  @Option(help: "The output format: text, or json with tables and numbers.")
  var format = PlainFormat.text

  func run() throws {
    var reader = InputReader()
    var schemas: [(path: String, schema: StoreSchema)] = []
    for input in inputs {
      for path in Self.inputs(at: input) {
        for loaded in reader.models(at: path, .current) {
          let made = reader.attempt(path) { try StoreSchema(model: loaded.model) }
          if let made { schemas.append((loaded.path, made)) }
        }
      }
    }
    switch format {
    case .text: try StandardOutput.write(text(schemas))
    case .json: try StandardOutput.write(Self.json(schemas))
    }
    try reader.finish()
  }

  /// The stores in a folder, if it contains any; otherwise the input itself.
  private static func inputs(at input: String) -> [String] {
    guard StoreFolder.isFolder(input), (try? ModelFile(at: input))?.kind == .folder,
      let stores = try? StoreFolder.storesIfAny(in: input), !stores.isEmpty
    else { return [input] }
    let files = (try? ModelFile(at: input).modelFiles()) ?? []
    return files.map(\.path) + stores
  }

  private func text(_ schemas: [(path: String, schema: StoreSchema)]) -> String {
    schemas.map { path, schema in
      let lines =
        numbers
        ? schema.entities.map { "\($0.number)\t\($0.name)\t\($0.parentNumber)" }
        : schema.statements.map { $0 + ";" }
      // If there are several, each is preceded by its path as an SQL comment.
      let title = schemas.count > 1 ? "-- \(TerminalText.escaped(path, keepingLines: false))\n" : ""
      return title + lines.map { $0 + "\n" }.joined()
    }.joined(separator: schemas.count > 1 ? "\n" : "")
  }

  private static func json(_ schemas: [(path: String, schema: StoreSchema)]) -> String {
    JSONReport.object([
      "schemaVersion": .integer(1),
      "models": .array(
        schemas.map { path, schema in
          .object([
            "path": .text(path), "statements": .array(schema.statements.map(JSONReport.text)),
            "entities": .array(
              schema.entities.map { entity in
                .object([
                  "name": .text(entity.name), "number": .integer(Int64(entity.number)),
                  "parentNumber": .integer(Int64(entity.parentNumber)),
                  "table": .text(entity.table),
                ])
              }),
          ])
        }),
    ]).document
  }
}
