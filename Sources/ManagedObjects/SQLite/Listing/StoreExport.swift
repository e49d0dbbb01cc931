import DataModels
import Foundation

/// Exports all objects of a store as JSON, JSON lines or CSV, in chunks.
package struct StoreExport {
  /// The output format.
  package enum Format: String, CaseIterable, Sendable { case json, jsonl, csv }

  let rows: StoreRows
  let format: Format
  /// The text for a missing value in CSV; an empty string is written in quotes.
  package var null = ""
  /// Called with the number of objects written and the total number; nil if progress isn't needed, since counting
  /// takes time.
  package var progress: ((_ done: Int, _ total: Int) -> Void)?

  package init(_ rows: StoreRows, as format: Format) {
    self.rows = rows
    self.format = format
  }

  /// Writes everything as one document: in JSON an object of entities, in JSON lines one object per line. CSV has no
  /// format for several tables; see ``writeEach(open:)``.
  ///
  /// - Parameter sink: receives the document in chunks of UTF-8.
  package func write(to sink: @escaping ([UInt8]) throws -> Void) throws {
    try rows.reading { try writeDocument(to: sink) }
  }

  private func writeDocument(to sink: @escaping ([UInt8]) throws -> Void) throws {
    rows.noteStrayRows()
    var output = ListingOutput(sink: sink)
    var counter = try Counter(self)
    if format == .json { output.text.append("{\n  \"schemaVersion\": 1,\n  \"entities\": {") }
    for (index, entity) in rows.entities.enumerated() {
      if format == .json {
        output.text.append(index == 0 ? "\n    " : ",\n    ")
        output.text.append(json: entity.name.utf8)
        output.text.append(": ")
      }
      try write(entity, indent: "    ", to: &output, counter: &counter)
    }
    if format == .json { output.text.append("\n  }\n}\n") }
    try output.flush()
  }

  /// Writes each entity separately.
  ///
  /// - Parameter open: returns the destination of an entity's text, given its name.
  package func writeEach(
    open: (String, (_ sink: @escaping ([UInt8]) throws -> Void) throws -> Void) throws -> Void
  ) throws {
    rows.noteStrayRows()
    var counter = try Counter(self)
    for entity in rows.entities {
      try open(entity.name) { sink in
        try rows.reading {
          var output = ListingOutput(sink: sink)
          try write(entity, indent: "", to: &output, counter: &counter)
          if format == .json { output.text.append("\n") }
          try output.flush()
        }
      }
    }
  }

  // MARK: One entity

  private func write(
    _ entity: SchemaEntity, indent: String, to output: inout ListingOutput,
    counter: inout Counter
  ) throws {
    if format == .csv {
      output.text.append(TextRows.csv(TextRows.heading(of: rows.names(of: entity))))
    }
    var writer = RowWriting(format: format, null: null, indent: indent)
    writer.begin(&output.text)
    do {
      try rows.forEach(of: entity) { listing, row in
        try writer.write(listing, of: row, to: &output.text)
        try output.flushIfFull()
        counter.next()
      }
    } catch let error as SQLiteError where rows.keepsGoing {
      rows.note("\(entity.name): \(error.message)")
    }
    writer.end(&output.text)
  }

  /// Counts objects, and reports progress periodically.
  private struct Counter {
    private var done = 0
    private var total = 0
    private let progress: ((Int, Int) -> Void)?

    init(_ export: StoreExport) throws {
      progress = export.progress
      guard progress != nil else { return }
      // An error for an unreadable table is reported when it is exported.
      total = export.rows.entities.reduce(0) { $0 + ((try? export.rows.count(of: $1)) ?? 0) }
    }

    @inline(__always)
    mutating func next() {
      guard let progress else { return }
      done += 1
      if done % 1000 == 0 || done == total { progress(done, total) }
    }
  }
}

/// Buffers output and passes it to a sink in chunks.
struct ListingOutput {
  var text = ListedText()
  private let sink: ([UInt8]) throws -> Void

  /// The minimum chunk size in bytes.
  private static let pieceSize = 1 << 16

  init(sink: @escaping ([UInt8]) throws -> Void) { self.sink = sink }

  @inline(__always)
  mutating func flushIfFull() throws {
    if text.bytes.count > Self.pieceSize { try flush() }
  }

  mutating func flush() throws {
    guard !text.bytes.isEmpty else { return }
    try sink(text.bytes)
    text.removeAll()
  }
}

/// Writes rows in one of the formats, including what surrounds and separates them.
struct RowWriting {
  let format: StoreExport.Format
  private let null: [UInt8]
  private let indent: String
  private var isFirst = true

  init(format: StoreExport.Format, null: String, indent: String) {
    self.format = format
    self.null = Array(null.utf8)
    self.indent = indent
  }

  func begin(_ text: inout ListedText) {
    if format == .json { text.append(UInt8(ascii: "[")) }
  }

  @inline(__always)
  mutating func write(
    _ listing: RowListing, of row: SQLiteStatement, to text: inout ListedText
  ) throws {
    switch format {
    case .csv: try listing.appendCSV(row, null: null, to: &text)
    case .jsonl:
      try listing.appendJSON(row, to: &text)
      text.append(UInt8(ascii: "\n"))
    case .json:
      text.append(isFirst ? "\n" : ",\n")
      text.append(indent)
      text.append("  ")
      try listing.appendJSON(row, to: &text)
    }
    isFirst = false
  }

  func end(_ text: inout ListedText) {
    guard format == .json else { return }
    if !isFirst {
      text.append("\n")
      text.append(indent)
    }
    text.append(UInt8(ascii: "]"))
  }
}
