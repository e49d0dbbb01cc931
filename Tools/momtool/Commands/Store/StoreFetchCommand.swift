import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import PredicateFormat

/// `momtool store fetch`: prints the objects of an entity.
struct StoreFetchCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, vertical, json, jsonl, csv

    /// The corresponding export format; nil for formats for people.
    var exported: StoreExport.Format? { StoreExport.Format(rawValue: rawValue) }
  }

  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Prints the objects of an entity: a column for each attribute and relationship.",
    discussion: """
      Columns and values are those of an export. Objects come as they are read: the first are there at once.

      The condition is a predicate as NSPredicate(format:) takes it, with the names of the model. Texts stand \
      for dates in ISO 8601 (UTC where they name no zone), UUIDs, URLs and objects by their names, where they \
      are compared with such. Keys that the model doesn't have, variables without values, and comparisons \
      that can't come true since the sides are of different kinds are errors.

      A table is for people: on a terminal its columns are cut to the width, and characters that would control \
      the terminal are shown as signs.

      EXAMPLES
        momtool store fetch Shop.sqlite Order --where 'customer.name BEGINSWITH[c] "a"'
        momtool store fetch Shop.sqlite Order --where 'date >= "2025-07-30" AND customer == "Customer/p5"'
        momtool store fetch Shop.sqlite Order --where 'total > $LEAST' --bind LEAST=100 --columns date,total
        momtool store fetch Shop.sqlite Order --sort name --sort -date --format csv
        momtool store fetch Shop.sqlite Order --limit 1 -x
      """)

  @OptionGroup var input: StoreInput

  @Argument(
    help: "The entity's name; objects of its subentities count. Without one the names are told.")
  var entity: String?

  @Option(name: .customLong("where"), help: ArgumentHelp("A predicate.", valueName: "predicate"))
  var condition: String?

  @OptionGroup var predicateValues: PredicateOptions

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Sort by a key path; with a minus sign before it, backwards. May be repeated.",
      valueName: "key"))
  var sort: [String] = []

  @Option(parsing: .unconditional, help: "How many objects at most; 0 for all.")
  var limit = 0

  @Option(parsing: .unconditional, help: "How many objects to leave out first.")
  var offset = 0

  @Option(
    help: ArgumentHelp(
      "Only these properties, in this order, with commas between.", valueName: "names"))
  var columns: String?

  @Option(help: "The form: table, vertical, json, jsonl or csv.")
  var format: Format?

  @Flag(name: [.customShort("x"), .long], help: "A line for each value, as --format vertical.")
  var vertical = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How wide a table may be; 0 for any width. Default: the terminal's width.",
      valueName: "characters"))
  var width: Int?

  @OptionGroup var values: StoreValueOptions

  func validate() throws {
    if vertical, let format, format != .vertical {
      throw ValidationError("Give --vertical or --format, not both.")
    }
    for (name, value) in [("--limit", limit), ("--offset", offset), ("--width", width ?? 0)]
    where value < 0 {
      throw ValidationError("\(name) can't be negative, and \(value) is.")
    }
  }

  func run() throws {
    try input.reading(values) { try fetch($0) }
  }

  private func fetch(_ rows: StoreRows) throws {
    let names = rows.entities.map(\.name)
    guard let entity else {
      throw Diagnostic(
        "name the entity to fetch: \(names.joined(separator: ", "))", path: input.store)
    }
    guard let found = rows.entity(entity) else {
      throw Diagnostic(
        "the model has no entity '\(entity)'" + DidYouMean.text(entity, among: names),
        path: input.store)
    }
    var fetch = StoreFetch(rows, of: found)
    fetch.null = values.null ?? ""
    fetch.selection = try selection(rows, found)
    let format = vertical ? .vertical : format ?? .table
    if let exported = format.exported {
      try fetch.write(as: exported) { bytes in
        try StandardOutput.write(bytes, escapingOnTerminals: exported == .csv)
      }
    } else {
      try ObjectTable(
        fetch, null: values.null ?? "NULL", width: width ?? StandardOutput.width
      ).write(isVertical: format == .vertical)
    }
    try input.report(on: rows)
  }

  private func selection(_ rows: StoreRows, _ entity: SchemaEntity) throws -> RowSelection {
    var selection = RowSelection()
    let values = try predicateValues.read()
    selection.predicate = try condition.map {
      try StoreCondition($0, on: entity.description, values: values) { name, key in
        try rows.objectID(entity: name, key: key)
      }.predicate
    }
    if condition == nil {
      guard values.positional.isEmpty else {
        throw Diagnostic("there is no --where that takes it", path: "--argument")
      }
      try values.refuseUnused(besides: [], "there is no --where, which")
    }
    selection.sortDescriptors = try sort.map { key in
      let isBackwards = key.hasPrefix("-")
      let path = String(key.dropFirst(isBackwards ? 1 : 0))
      try StoreCondition.checkSortKey(path, of: entity.description)
      return NSSortDescriptor(key: path, ascending: !isBackwards)
    }
    selection.limit = limit
    selection.offset = offset
    selection.names = try columns.map { try names($0, rows, entity) }
    return selection
  }

  private func names(
    _ list: String, _ rows: StoreRows, _ entity: SchemaEntity
  ) throws -> [String] {
    let known = rows.names(of: entity)
    let names = list.split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }.filter { !$0.isEmpty }
    guard !names.isEmpty else { throw Diagnostic("it names no property", path: "--columns") }
    for (index, name) in names.enumerated() {
      guard known.contains(name) else {
        let property = entity.description.propertiesByName[name]
        throw Diagnostic(
          property.map {
            "'\(name)' is \($0.isTransient ? "transient" : "a fetched property"): "
              + "the store keeps no values of it"
          } ?? "\(entity.name) has no property '\(name)'" + DidYouMean.text(name, among: known),
          path: "--columns")
      }
      guard !names[..<index].contains(name) else {
        throw Diagnostic("'\(name)' is there twice", path: "--columns")
      }
    }
    return names
  }
}
