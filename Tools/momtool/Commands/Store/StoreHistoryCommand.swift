import ArgumentParser
import DataModels
import Foundation
import ManagedObjects

/// `momtool store history`: prints a store's persistent history.
struct StoreHistoryCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, jsonl }

  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Prints a store's persistent history: its transactions, and what each changed.",
    discussion: """
      EXAMPLES
        momtool store history Shop.sqlite --limit 10
        momtool store history Shop.sqlite --format jsonl | jq -r 'select(.author == "sync").number'
      """)

  @OptionGroup var input: StoreInput

  @Option(help: "The number of latest transactions; 0 for all.")
  var limit = 0

  @Option(help: "The output format: text, json, or jsonl with a transaction a line.")
  var format = Format.text

  func run() throws {
    let input = try input.opened()
    let listing = try withExtendedLifetime(input) {
      try StoreHistoryListing(
        input.file, model: input.loadModel(), framework: input.metadata?.frameworkVersion)
    }
    let all = listing.transactions ?? []
    let transactions = limit > 0 ? Array(all.suffix(limit)) : all
    switch format {
    case .text:
      if listing.transactions == nil {
        Diagnostics.report(Diagnostic(warning: "the store has no history", path: input.store))
      }
      try StandardOutput.write(transactions.map(\.text).joined())
    case .json:
      let lines = transactions.map { "    \($0.listed.json)" }.joined(separator: ",\n")
      try StandardOutput.write(
        "{\n  \"schemaVersion\": 1,\n  \"hasHistory\": \(listing.transactions != nil),\n"
          + "  \"transactions\": [\(lines.isEmpty ? "" : "\n\(lines)\n  ")]\n}\n")
    case .jsonl:
      try StandardOutput.write(transactions.map { $0.listed.json + "\n" }.joined())
    }
  }
}

extension StoreHistoryListing.Transaction {
  /// A heading, and one line per change.
  fileprivate var text: String {
    var heading = "transaction \(number)"
    if let timestamp { heading += "  \(ListedValue.date(timestamp).cell ?? "")" }
    for (name, value) in [
      ("author", author), ("context", contextName), ("process", process), ("bundle", bundle),
    ] {
      if let value { heading += "  \(name) \(value)" }
    }
    let lines = changes.map { change in
      var line = "  \(change.kind)  \(change.object)"
      if !change.properties.isEmpty { line += "  " + change.properties.joined(separator: ", ") }
      for (name, value) in change.tombstone { line += "  \(name) = \(value.json)" }
      return line
    }
    return ([heading] + lines).joined(separator: "\n") + "\n"
  }

  /// The transaction as plain data.
  fileprivate var listed: ListedValue {
    .record([
      ("number", .integer(number)), ("timestamp", timestamp.map { .date($0) } ?? .null),
      ("author", author.map { .text($0) } ?? .null),
      ("context", contextName.map { .text($0) } ?? .null),
      ("process", process.map { .text($0) } ?? .null),
      ("bundle", bundle.map { .text($0) } ?? .null),
      (
        "changes",
        .list(
          changes.map { change in
            .record([
              ("number", .integer(change.number)), ("kind", .text(change.kind)),
              ("object", .text(change.object)),
              ("properties", .list(change.properties.map { .text($0) })),
              ("tombstone", .record(change.tombstone)),
            ])
          })
      ),
    ])
  }
}
