import DataModels
import Foundation

/// Writes the selected objects of an entity in chunks, with the same values as an export.
package struct StoreFetch {
  let rows: StoreRows
  let entity: SchemaEntity
  package var selection = RowSelection()
  /// The text for a missing value in CSV.
  package var null = ""

  package init(_ rows: StoreRows, of entity: SchemaEntity) {
    self.rows = rows
    self.entity = entity
  }

  /// The names of the columns, in listing order.
  package var names: [String] { selection.names ?? rows.names(of: entity) }

  /// Writes the objects in one of the export formats.
  ///
  /// - Parameter sink: receives the text in chunks of UTF-8. The first chunks are small, for readers that want only a
  ///   few lines.
  package func write(
    as format: StoreExport.Format, to sink: @escaping ([UInt8]) throws -> Void
  ) throws {
    var output = ListingOutput(sink: sink)
    if format == .csv { output.text.append(TextRows.csv(TextRows.heading(of: names))) }
    var writer = RowWriting(format: format, null: null, indent: "")
    writer.begin(&output.text)
    var count = 0
    try forEachRow { listing, row in
      try writer.write(listing, of: row, to: &output.text)
      count += 1
      // After 1, 2, 4, 8, … rows, and then by size.
      if count < 1024, count & (count - 1) == 0 { try output.flush() }
      try output.flushIfFull()
    }
    writer.end(&output.text)
    if format == .json { output.text.append("\n") }
    try output.flush()
  }

  /// Calls `body` with each object's name and values, in the order of ``names``.
  package func forEach(
    _ body: (_ name: String, _ values: [ListedValue]) throws -> Void
  ) throws {
    try forEachRow { listing, row in
      try body(listing.objectName(of: row), listing.values(of: row))
    }
  }

  /// As in an export, an unreadable table counts as empty if unreadable content is skipped.
  private func forEachRow(_ body: (RowListing, SQLiteStatement) throws -> Void) throws {
    try rows.reading {
      do {
        try rows.forEach(of: entity, selected: selection, body)
      } catch let error as SQLiteError where rows.keepsGoing {
        rows.note("\(entity.name): \(error.message)")
      }
    }
  }
}
