import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import PredicateFormat

/// `momtool store fetch`: prints the objects of an entity.
struct StoreFetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Prints the objects of an entity: a column for each attribute and relationship.",
    discussion: """
      The condition is a predicate as NSPredicate(format:) takes it, with the names of the model. \
      Columns and values are those of an export, but for transformable values, which are objects here.

      EXAMPLES
        momtool store fetch Shop.sqlite Order --where 'customer.name BEGINSWITH[c] "a"'
        momtool store fetch Shop.sqlite Order --sort name --sort -date --format csv
      """)

  @OptionGroup var input: StoreInput

  @Argument(help: "The entity's name; objects of its subentities count.")
  var entity: String

  @Option(name: .customLong("where"), help: ArgumentHelp("A predicate.", valueName: "predicate"))
  var condition: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Sort by a key path; with a minus sign before it, backwards. May be repeated.",
      valueName: "key"))
  var sort: [String] = []

  @Option(help: "How many objects at most; 0 for all.")
  var limit = 0

  @Option(help: "How many objects to leave out first.")
  var offset = 0

  @Option(help: "The form: table, json, jsonl or csv.")
  var format = ObjectTable.Format.table

  func run() throws {
    let context = try input.openContext()
    guard let description = NSEntityDescription.entity(forEntityName: entity, in: context) else {
      throw ValidationError("The model has no entity '\(entity)'.")
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = try condition.map { try PredicateTree(parsing: $0).predicate }
    request.sortDescriptors = sort.map { key in
      key.hasPrefix("-")
        ? NSSortDescriptor(key: String(key.dropFirst()), ascending: false)
        : NSSortDescriptor(key: key, ascending: true)
    }
    request.fetchLimit = limit
    request.fetchOffset = offset
    let objects = try context.fetch(request)
    try StandardOutput.write(ObjectTable(objects, of: description).text(format))
  }
}
