import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelEvolution

/// `momtool store info`: says what a store is and how much is in it.
struct StoreInfoCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Says what a store is: its identifier, model, framework, entities and row counts.",
    discussion: """
      Of a store without a copy of its model, entities are those that the file itself names.

      EXAMPLES
        momtool store info Shop.sqlite
        momtool store info Shop.sqlite --format json | jq '.entities | add'
      """)

  @OptionGroup var input: StoreInput

  @Option(help: "The form: text or json.")
  var format = Format.text

  func run() throws {
    let file = try StoreFile(at: input.store)
    let rows = try input.openRows()
    // Abstract entities too: a row of one shows that something is wrong.
    let names = rows.schema.entities.map(\.name).sorted()
    let counts = names.map { name in
      (name: name, count: rows.entity(name).flatMap { try? rows.count(of: $0) })
    }
    switch format {
    case .text: try StandardOutput.write(text(file, counts))
    case .json: try StandardOutput.write(json(file, counts))
    }
    try input.report(
      counts.filter { $0.count == nil }.map { "\($0.name): its rows can't be counted" })
  }

  private func text(_ file: StoreFile, _ counts: [(name: String, count: Int?)]) -> String {
    let metadata = file.metadata
    let versions = metadata.versionIdentifiers.filter { !$0.isEmpty }
    var lines = [
      "store        \(input.store)", "identifier   \(metadata.identifier ?? "none")",
      "type         \(metadata.storeType ?? "unknown")",
      "framework    \(metadata.frameworkVersion.map(String.init) ?? "unknown")",
      "versions     \(versions.isEmpty ? "none" : versions.joined(separator: ", "))",
      "model cache  \(file.compressedModel == nil ? "no" : "yes")",
    ]
    if let checksum = metadata.checksum { lines.append("checksum     \(checksum)") }
    lines.append("")
    return lines.joined(separator: "\n") + "\n"
      + TextRows.aligned(counts.map { [$0.name, $0.count.map(String.init) ?? "?"] })
  }

  private func json(_ file: StoreFile, _ counts: [(name: String, count: Int?)]) -> String {
    let metadata = file.metadata
    func optional(_ text: String?) -> JSONReport { text.map { .text($0) } ?? .null }
    return JSONReport.object([
      "schemaVersion": .integer(1), "store": .text(input.store),
      "identifier": optional(metadata.identifier), "type": optional(metadata.storeType),
      "framework": metadata.frameworkVersion.map { .integer(Int64($0)) } ?? .null,
      "versionIdentifiers": .array(metadata.versionIdentifiers.map(JSONReport.text)),
      "hasModelCache": .flag(file.compressedModel != nil),
      "checksum": optional(metadata.checksum),
      "entities": .object(
        Dictionary(
          counts.map { ($0.name, $0.count.map { .integer(Int64($0)) } ?? .null) },
          uniquingKeysWith: { first, _ in first })),
    ]).document
  }
}
