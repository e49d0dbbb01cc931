import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import PropertyLists

/// `momtool store export`: exports all objects of a store.
struct StoreExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all objects of a store as JSON, JSON lines or CSV.",
    discussion: """
      Objects are named as in Author/p2, and are in the order of their keys, entities in that of \
      their names; each is written with its own entity, not with those above. Relationships hold the \
      names of objects, bytes are in base64, dates in ISO 8601 with all their digits. Transformable \
      values are written as the bytes they are stored as, or decoded with --decode-blobs. In CSV nothing \
      stands for no value and "" for an empty text. The same store gives the same text.

      --keep-going takes what can be read out of a damaged store.

      EXAMPLES
        momtool store export Shop.sqlite --format jsonl | jq -c 'select(.total > 100)'
        momtool store export Shop.sqlite --format csv --output Shop-tables
      """)

  @OptionGroup var input: StoreInput

  @Option(help: "The form: json, jsonl or csv.")
  var format = StoreExport.Format.json

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write a file for each entity into this folder; CSV needs one.", valueName: "folder"))
  var output: String?

  @OptionGroup var values: StoreValueOptions

  func validate() throws {
    if format == .csv, output == nil {
      throw ValidationError("CSV is a file for each entity: name a folder with --output.")
    }
  }

  func run() throws {
    try input.reading(values) { try export($0) }
  }

  private func export(_ rows: StoreRows) throws {
    var export = StoreExport(rows, as: format)
    export.null = values.null ?? ""
    let progress = ProgressLine("writing", unit: "objects")
    if progress.isOn { export.progress = progress.show }
    if let output {
      try write(export, to: URL(fileURLWithPath: output, isDirectory: true))
    } else {
      try export.write { try StandardOutput.write($0) }
    }
    progress.clear()
    try input.report(on: rows)
  }

  /// Each file is written atomically.
  private func write(_ export: StoreExport, to folder: URL) throws {
    try OutputFolder.make(folder.relativePath)
    try export.writeEach { name, write in
      // Names come from the store, and must not lead outside the folder.
      let file = "\(name.replacing("/", with: "_")).\(format.rawValue)"
      let target = folder.appendingPathComponent(file)
      do {
        try AtomicFile.write(to: target.relativePath) { append in
          try write { bytes in try bytes.withUnsafeBytes { try append($0) } }
        }
      } catch let error as PropertyListError {
        throw Diagnostic(error.message, path: target.relativePath)
      }
    }
  }
}

extension StoreExport.Format: ExpressibleByArgument {}
