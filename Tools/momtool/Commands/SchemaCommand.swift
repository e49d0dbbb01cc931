import ArgumentParser
import DataModels
import RelationalSchemas

/// `momtool schema`: prints the SQL of tables named after a model's entities and properties.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the SQL of tables for a model, by its own names, for a database.",
    discussion: """
      One table for each hierarchy of entities, a column for each attribute and to-one \
      relationship, tables of pairs for many-to-many relationships, with keys, foreign keys, \
      unique and check constraints and indexes as far as the database has them. For PostgreSQL \
      these are the tables of PostgreSQL stores.

      The tables of Core Data's own SQLite files are other ones: momtool store schema prints them.

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
