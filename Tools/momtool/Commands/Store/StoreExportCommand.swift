import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import PropertyLists

/// `momtool store export`: writes all objects of a store.
struct StoreExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all objects of a store as JSON, JSON lines or CSV.",
    discussion: """
      Objects are named as in Author/p2, and are in the order of their keys, entities in that of \
      their names; each is written with its own entity, not with those above. Relationships hold the \
      names of objects, bytes are in base64, dates in ISO 8601 with all their digits. Transformable \
      values are written as the bytes they are stored as. The same store gives the same text.

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

  func validate() throws {
    if format == .csv, output == nil {
      throw ValidationError("CSV is a file for each entity: name a folder with --output.")
    }
  }

  func run() throws {
    let rows = try input.openRows()
    var export = StoreExport(rows, as: format)
    let progress = ProgressLine("writing", unit: "objects")
    export.progress = progress.show
    if let output {
      try write(export, to: URL(fileURLWithPath: output, isDirectory: true))
    } else {
      try export.write { try StandardOutput.write($0) }
    }
    progress.clear()
    for problem in rows.problems {
      Diagnostics.report(Diagnostic(warning: problem, path: input.store))
    }
    if !rows.problems.isEmpty { throw ExitStatus.findings }
  }

  /// Each file appears when it is whole.
  private func write(_ export: StoreExport, to folder: URL) throws {
    let files = FileManager.default
    do {
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Diagnostic(
        "can't make the folder: \((error as NSError).localizedDescription)", path: folder.path)
    }
    try export.writeEach { name, write in
      let target = folder.appendingPathComponent("\(name).\(format.rawValue)")
      do {
        try AtomicFile.write(to: target.path) { append in
          try write { text in
            var text = text
            try text.withUTF8 { try append(UnsafeRawBufferPointer($0)) }
          }
        }
      } catch let error as PropertyListError {
        throw Diagnostic(error.message, path: target.path)
      }
    }
  }
}

extension StoreExport.Format: ExpressibleByArgument {}
