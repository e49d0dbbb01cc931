import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import PropertyLists

/// `momtool store export`: exports all objects of a store.
struct StoreExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all objects of a store as JSON, JSON lines, CSV or Parquet.",
    discussion: """
      Objects are named like Author/p2 and sorted by entity and key; each is listed under its own \
      entity only, not under those above. Relationships contain the names of objects, bytes are in \
      Base64, dates in ISO 8601 with all digits. Transformable values are written as their stored \
      bytes, or decoded with --decode-blobs. In CSV, a missing value is empty, and an empty string \
      is "". The same store always gives the same text.

      Parquet is for DuckDB, PostgreSQL, Arrow and similar: columns have types, objects are identified \
      by their keys (_id), and relationships contain the keys of objects, with the entity in \
      NAME_entity where it can be one of several. manifest.json describes the columns of each file, and \
      where they differ from the model: a column whose values don't fit its type gets a wider one.

      --keep-going exports what can be read from a damaged store.

      An export shows one state of the store, whoever writes it meanwhile. If nobody has the store open \
      and a program begins to write it, the export begins anew, or fails if part of it is printed \
      already.

      EXAMPLES
        momtool store export Shop.sqlite --format jsonl | jq -c 'select(.total > 100)'
        momtool store export Shop.sqlite --format csv --output Shop-tables
        momtool store export Shop.sqlite --format parquet --output Shop-columns
      """)

  @OptionGroup var input: StoreInput

  /// The formats of an export.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case json, jsonl, csv, parquet
  }

  @Option(help: "The output format: json, jsonl, csv or parquet.")
  var format = Format.json

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write a file for each entity into this folder; CSV and Parquet need one.",
      valueName: "folder"))
  var output: String?

  @OptionGroup var columns: ParquetOptions

  @OptionGroup var values: StoreValueOptions

  func validate() throws {
    if format == .csv, output == nil {
      throw ValidationError("CSV is a file for each entity: name a folder with --output.")
    }
    if format == .parquet, output == nil {
      throw ValidationError("Parquet is a file for each entity: name a folder with --output.")
    }
    if format != .parquet, let option = columns.given {
      throw ValidationError("\(option) is for --format parquet.")
    }
  }

  func run() throws {
    try input.reading(values, repeats: output != nil) { try export($0) }
  }

  private func export(_ rows: StoreRows) throws {
    let progress = ProgressLine("writing", unit: "objects")
    if format == .parquet {
      try writeColumns(rows, progress)
    } else {
      try writeText(rows, progress)
    }
    progress.clear()
    try input.report(on: rows)
  }

  private func writeText(_ rows: StoreRows, _ progress: ProgressLine) throws {
    var export = StoreExport(rows, as: StoreExport.Format(rawValue: format.rawValue) ?? .json)
    export.null = values.null ?? ""
    if progress.isOn { export.progress = progress.show }
    guard let output else { return try export.write { try StandardOutput.write($0) } }
    try OutputFolder.make(output)
    try export.writeEach { name, write in try writeFile(fileName(of: name), in: output, write) }
  }

  private func writeColumns(_ rows: StoreRows, _ progress: ProgressLine) throws {
    guard let output else { return }
    var export = ColumnarExport(rows, options: columns.options)
    if progress.isOn { export.progress = progress.show }
    try OutputFolder.make(output)
    var entities = try export.writeEach { name, write in
      try writeFile(fileName(of: name), in: output, write)
    }
    for index in entities.indices { entities[index].file = fileName(of: entities[index].name) }
    let manifest = ColumnarManifest(entities, of: export)
    try writeFile("manifest.json", in: output) { try $0(Array(manifest.json().utf8)) }
    for entity in manifest.entities {
      for column in entity.columns {
        guard let reason = column.widened else { continue }
        let warning = "\(entity.name).\(column.name) is \(column.parquetType): \(reason)"
        Diagnostics.report(Diagnostic(warning: warning, path: input.store))
      }
    }
  }

  /// Names come from the store, and must not lead outside the folder.
  private func fileName(of entity: String) -> String {
    "\(entity.replacing(scalar: "/", with: "_")).\(format.rawValue)"
  }

  /// Writes a file atomically.
  private func writeFile(
    _ name: String, in folder: String,
    _ write: (_ sink: @escaping ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let target = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent(name)
    do {
      try AtomicFile.write(to: target.relativePath) { append in
        try write { bytes in try bytes.withUnsafeBytes { try append($0) } }
      }
    } catch let error as PropertyListError {
      throw Diagnostic(error.message, path: target.relativePath)
    }
  }
}
