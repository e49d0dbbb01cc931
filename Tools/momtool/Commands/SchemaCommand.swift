import ArgumentParser
import DataModels
import RelationalSchemas

/// `momtool schema`: prints the SQL of tables named after a model's entities and properties.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints SQL tables for a model, named after its entities and properties.",
    discussion: """
      One table for each entity hierarchy, one column for each attribute and to-one relationship, \
      and join tables for many-to-many relationships, with keys, foreign keys, unique and check \
      constraints, and indexes as far as the database supports them. For PostgreSQL, these are the \
      tables of PostgreSQL stores.

      Core Data's own SQLite files have different tables: see momtool store schema.

      EXAMPLES
        momtool schema Shop.momd --dialect postgresql | psql shop
        momtool schema Shop.momd --dialect duckdb
      """)

  @Argument(
    help: ArgumentHelp("The models; - for standard input.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @Option(help: "The database: postgresql, sqlite or duckdb.")
  var dialect = SQLDialect.postgreSQL

  func run() throws {
    var reader = InputReader()
    let models = inputs.flatMap { reader.models(at: $0, .current) }
    let scripts = models.map { loaded in
      let script = RelationalSchema(model: loaded.model).script(in: dialect)
      // If there are several, each is preceded by its path as an SQL comment.
      let title = "-- \(TerminalText.escaped(loaded.path, keepingLines: false))\n"
      return (models.count > 1 ? title : "") + script
    }
    try StandardOutput.write(scripts.joined(separator: "\n"))
    try reader.finish()
  }
}

extension SQLDialect: ExpressibleByArgument {}
