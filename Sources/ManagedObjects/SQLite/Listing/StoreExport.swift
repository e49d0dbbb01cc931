import DataModels
import Foundation

/// Writes all objects of a store as JSON, JSON lines or CSV, piece by piece.
package struct StoreExport {
  /// The form.
  package enum Format: String, CaseIterable, Sendable { case json, jsonl, csv }

  package let rows: StoreRows
  package let format: Format
  /// Told how many objects are written, and how many there are.
  package var progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }

  package init(_ rows: StoreRows, as format: Format) {
    self.rows = rows
    self.format = format
  }

  /// How large the pieces are, in bytes, at least.
  private static let pieceSize = 1 << 16

  /// Writes everything as one document: as JSON an object of entities, as JSON lines an object a
  /// line. CSV has no form for several tables: see ``writeEach(open:)``.
  package func write(to sink: @escaping (String) throws -> Void) throws {
    var output = Output(sink: sink)
    var counter = try Counter(self)
    if format == .json { output.text += "{\n  \"schemaVersion\": 1,\n  \"entities\": {" }
    for (index, entity) in rows.entities.enumerated() {
      if format == .json {
        output.text += index == 0 ? "\n    " : ",\n    "
        JSONString.append(entity.name, to: &output.text)
        output.text += ": "
      }
      try write(entity, indent: "    ", &output, &counter)
    }
    if format == .json { output.text += "\n  }\n}\n" }
    try output.flush()
  }

  /// Writes each entity by itself.
  ///
  /// - Parameter open: gives for an entity's name where its text goes.
  package func writeEach(
    open: (String, (_ sink: @escaping (String) throws -> Void) throws -> Void) throws -> Void
  ) throws {
    var counter = try Counter(self)
    for entity in rows.entities {
      try open(entity.name) { sink in
        var output = Output(sink: sink)
        try write(entity, indent: "", &output, &counter)
        if format == .json { output.text += "\n" }
        try output.flush()
      }
    }
  }

  // MARK: One entity

  private func write(
    _ entity: SchemaEntity, indent: String, _ output: inout Output, _ counter: inout Counter
  ) throws {
    let names = rows.names(of: entity)
    if format == .csv { output.text += TextRows.csv(["object"] + names) }
    var isFirst = true
    if format == .json { output.text += "[" }
    try rows.forEach(of: entity) { name, values in
      switch format {
      case .csv: output.text += TextRows.csv([name] + values.map { $0.cell ?? "" })
      case .json, .jsonl:
        if format == .json { output.text += (isFirst ? "\n" : ",\n") + indent + "  " }
        let fields = [("@object", ListedValue.text(name))] + zip(names, values)
        output.text += ListedValue.record(fields.map { (name: $0, value: $1) }).json
        if format == .jsonl { output.text += "\n" }
      }
      isFirst = false
      try output.flush(above: Self.pieceSize)
      counter.next()
    }
    if format == .json { output.text += isFirst ? "]" : "\n\(indent)]" }
  }

  /// Text on its way out.
  private struct Output {
    var text = ""
    let sink: (String) throws -> Void

    init(sink: @escaping (String) throws -> Void) { self.sink = sink }

    mutating func flush(above size: Int = 0) throws {
      guard text.utf8.count > size else { return }
      try sink(text)
      text = ""
    }
  }

  /// Counts objects, and tells now and then.
  private struct Counter {
    private var done = 0
    private let total: Int
    private let progress: (Int, Int) -> Void

    init(_ export: StoreExport) throws {
      total = try export.rows.entities.reduce(0) { try $0 + export.rows.count(of: $1) }
      progress = export.progress
    }

    mutating func next() {
      done += 1
      if done % 1000 == 0 || done == total { progress(done, total) }
    }
  }
}
