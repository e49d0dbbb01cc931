import ArgumentParser
import DataModels
import Foundation
import ManagedObjects

/// `momtool store views`: prints SQL views that show a store's tables under the model's names.
struct StoreViewsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "views",
    abstract: "Prints SQL views with the model's names, or writes them into a copy of the store.",
    discussion: """
      There is one view for each entity, including the objects of its subentities, and one for each \
      many-to-many relationship. Dates and UUIDs are shown as strings.

      The store itself is never changed. The copy contains the store's rows, but not its external \
      files.

      EXAMPLES
        momtool store views Shop.sqlite
        momtool store views Shop.sqlite --output Shop-views.sqlite
        sqlite3 Shop-views.sqlite 'SELECT name, total FROM "Order" ORDER BY date'
      """)

  @OptionGroup var input: StoreInput

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Copy the store to this file, which must not exist, and create the views in it.",
      valueName: "file"))
  var output: String?

  func run() throws {
    let input = try input.opened()
    let views = try StoreViews(
      model: input.loadModel(),
      framework: input.metadata?.frameworkVersion)
    guard let output else {
      return try StandardOutput.write(views.statements.map { $0 + ";\n" }.joined())
    }
    try NewFile.check(output)
    try withExtendedLifetime(input) {
      try NewFile.make(output) { try views.write(copyOf: input.file, to: $0) }
    }
  }
}
