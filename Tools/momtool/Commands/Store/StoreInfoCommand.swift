import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelEvolution

/// `momtool store info`: summarizes a store and its contents.
struct StoreInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Summarizes a store: its identifier, model, framework, entities and row counts.",
    discussion: """
      For a store without a copy of its model, the entities are those found in the file itself. For \
      a folder, every store inside is listed, whatever its name.

      EXAMPLES
        momtool store info Shop.sqlite
        momtool store info Shop.sqlite --format json | jq '.entities | add'
        momtool store info Backups --format json | jq -r '.stores[] | [.store, .checksum] | @tsv'
      """)

  @Argument(
    help: ArgumentHelp("The SQLite stores, or folders that contain stores.", valueName: "store"),
    completion: .file())
  var stores: [String]

  @Option(
    help: ArgumentHelp(
      "The stores' model, if they have no copy of it: a .mom, .momd or source.",
      valueName: "model"))
  var model: String?

  @Option(help: "The output format: text or json.")
  var format = PlainFormat.text

  func validate() throws {
    for store in stores { try StoreInput.checkName(store) }
  }

  func run() throws {
    // A single store given explicitly gets its own form of output.
    let isAlone = stores.count == 1 && !StoreFolder.isFolder(stores[0])
    if isAlone {
      let info = try Info(StoreInput(store: stores[0], model: model))
      try StandardOutput.writeReport(
        format == .text ? info.text : JSONReport.object(info.json).document)
      return try info.finish()
    }
    var reader = InputReader()
    var isWhole = true
    let infos = stores.flatMap { path in
      (reader.attempt(path) { try StoreFolder.stores(at: path) } ?? []).compactMap { store in
        reader.attempt(store) { try Info(StoreInput(store: store, model: model)) }
      }
    }
    switch format {
    case .text: try StandardOutput.writeReport(infos.map(\.text).joined(separator: "\n"))
    case .json:
      try StandardOutput.writeReport(
        JSONReport.object([
          "schemaVersion": .integer(1),
          "stores": .array(
            infos.map { .object($0.json.filter { $0.key != "schemaVersion" }) }),
        ]).document)
    }
    for info in infos {
      do { try info.finish() } catch { isWhole = false }
    }
    try reader.finish()
    if !isWhole { throw ExitStatus.findings }
  }
}

/// The information about a store.
private struct Info {
  private let input: StoreInput
  private let file: StoreFile
  private let counts: [(name: String, count: Int?)]
  private let problems: [String]

  init(_ input: StoreInput) throws {
    let input = try input.opened()
    self.input = input
    file = try input.storeFile()
    let found = try StoreRows.rereading(
      opening: { try input.openRows(keepsGoing: true) }, { rows in Self.counted(in: rows) })
    (problems, counts) = (found.problems, found.counts)
  }

  /// Counts the objects of each entity.
  private static func counted(
    in rows: StoreRows
  ) -> (problems: [String], counts: [(name: String, count: Int?)]) {
    rows.noteStrayRows()
    // Including abstract entities, since a row of one indicates an error.
    let counts = rows.schema.entities.map(\.name).sorted().map { name in
      (name: name, count: rows.entity(name).flatMap { try? rows.count(of: $0) })
    }
    return (rows.problems, counts)
  }

  /// Reports what couldn't be counted.
  ///
  /// - Throws: The exit status for findings, if there is anything.
  func finish() throws {
    try input.report(
      problems
        + counts.filter { $0.count == nil }.map { "\($0.name): its rows can't be counted" })
  }

  /// One line per fact and per entity.
  var text: String {
    let metadata = file.metadata
    let versions = metadata.versionIdentifiers.filter { !$0.isEmpty }
    var lines = [
      "store        \(input.store)", "identifier   \(metadata.identifier ?? "none")",
      "type         \(input.storeType(file) ?? "unknown")",
      "framework    \(input.frameworkVersion(file).map(String.init) ?? "unknown")",
      "versions     \(versions.isEmpty ? "none" : versions.joined(separator: ", "))",
      "model cache  \(input.hasModelCopy(file) ? "yes" : "no")",
    ]
    if let checksum = metadata.checksum { lines.append("checksum     \(checksum)") }
    lines.append("")
    return lines.joined(separator: "\n") + "\n"
      + TextRows.aligned(counts.map { [$0.name, $0.count.map(String.init) ?? "?"] })
  }

  /// The same information as JSON fields.
  var json: [String: JSONReport] {
    let metadata = file.metadata
    func optional(_ text: String?) -> JSONReport { text.map { .text($0) } ?? .null }
    return [
      "schemaVersion": .integer(1), "store": .text(input.store),
      "identifier": optional(metadata.identifier), "type": optional(input.storeType(file)),
      "framework": input.frameworkVersion(file).map { .integer(Int64($0)) } ?? .null,
      "versionIdentifiers": .array(metadata.versionIdentifiers.map(JSONReport.text)),
      "hasModelCache": .flag(input.hasModelCopy(file)),
      "checksum": optional(metadata.checksum),
      "entities": .object(
        Dictionary(
          counts.map { ($0.name, $0.count.map { .integer(Int64($0)) } ?? .null) },
          uniquingKeysWith: { first, _ in first })),
    ]
  }
}
