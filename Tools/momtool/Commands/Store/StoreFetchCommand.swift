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
      Columns and values are those of an export. Objects are printed while they are being read.

      The condition is a predicate format as for NSPredicate(format:), with the names in the model. \
      Strings are accepted for dates (in ISO 8601, UTC unless they have a time zone), UUIDs, URLs, \
      and objects by name, where they are compared with such. Unknown keys, variables without \
      values, and comparisons that can't be true because the types don't match are errors.

      A table is for people: on a terminal its columns are truncated to fit, and control characters \
      are replaced by symbols.

      EXAMPLES
        momtool store fetch Shop.sqlite Order --where 'customer.name BEGINSWITH[c] "a"'
        momtool store fetch Shop.sqlite Order --where 'date >= "2025-07-30" AND customer == "Customer/p5"'
        momtool store fetch Shop.sqlite Order --where 'total > $LEAST' --bind LEAST=100 --columns date,total
        momtool store fetch Shop.sqlite Order --sort name --sort -date --format csv
        momtool store fetch Shop.sqlite Order --limit 1 -x
      """)

  @OptionGroup var input: StoreInput

  @Argument(
    help:
      "The entity's name; its subentities' objects are included. If omitted, the names are listed.")
  var entity: String?

  @Option(name: .customLong("where"), help: ArgumentHelp("A predicate.", valueName: "predicate"))
  var condition: String?

  @OptionGroup var predicateValues: PredicateOptions

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Sort by a key path; a minus sign before it means descending. May be repeated.",
      valueName: "key"))
  var sort: [String] = []

  @Option(parsing: .unconditional, help: "The maximum number of objects; 0 for all.")
  var limit = 0

  @Option(parsing: .unconditional, help: "The number of objects to skip first.")
  var offset = 0

  @Option(
    help: ArgumentHelp(
      "Show only these properties, in this order, separated by commas.", valueName: "names"))
  var columns: String?

  @Option(help: "The output format: table, vertical, json, jsonl or csv.")
  var format: Format?

  @Flag(
    name: [.customShort("x"), .long], help: "Print one value per line, like --format vertical.")
  var vertical = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The maximum width of a table; 0 for no limit. Default: the terminal's width.",
      valueName: "characters"))
  var width: Int?

  @OptionGroup var values: StoreValueOptions

  func validate() throws {
    if vertical, let format, format != .vertical {
      throw ValidationError("Give --vertical or --format, not both.")
    }
    for (name, value) in [("--limit", limit), ("--offset", offset), ("--width", width ?? 0)]
    where value < 0 {
      throw ValidationError("\(name) can't be negative; it is \(value).")
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
        throw Diagnostic("there is no --where to use it", path: "--argument")
      }
      try values.refuseUnused(besides: [], "without --where, the condition")
    }
    selection.sortDescriptors = try sort.map { key in
      if let word = key.split(separator: " ").dropFirst().last?.lowercased(),
        let sign = ["asc": "", "ascending": "", "desc": "-", "descending": "-"][word]
      {
        throw Diagnostic("write \(sign)\(key.prefix { $0 != " " })", path: "--sort")
      }
      let isBackwards = key.hasPrefix("-")
      let path = String(key.dropFirst(isBackwards ? 1 : 0))
      try StoreCondition.checkSortKey(path, of: entity.description)
      return NSSortDescriptor(key: path, ascending: !isBackwards)
    }
    selection.limit = limit
    selection.offset = offset
    selection.names = try columns.map { try names($0, in: rows, of: entity) }
    return selection
  }

  private func names(
    _ list: String, in rows: StoreRows, of entity: SchemaEntity
  ) throws -> [String] {
    let known = rows.names(of: entity)
    let names = list.split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }.filter { !$0.isEmpty }
    guard !names.isEmpty else { throw Diagnostic("it doesn't name a property", path: "--columns") }
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
        throw Diagnostic("'\(name)' is given twice", path: "--columns")
      }
    }
    return names
  }
}
