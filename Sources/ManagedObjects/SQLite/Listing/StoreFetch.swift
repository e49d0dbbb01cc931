import DataModels
import Foundation

/// Writes the selected objects of an entity, piece by piece, with the values that an export has.
package struct StoreFetch {
  let rows: StoreRows
  let entity: SchemaEntity
  package var selection = RowSelection()
  /// What stands for no value in CSV.
  package var null = ""

  package init(_ rows: StoreRows, of entity: SchemaEntity) {
    self.rows = rows
    self.entity = entity
  }

  /// The names of the columns, in the order in which they are listed.
  package var names: [String] { selection.names ?? rows.names(of: entity) }

  /// Writes the objects in one of the forms of an export.
  ///
  /// - Parameter sink: gets the text piece by piece, in UTF-8. The first pieces are small, for who wants a few
  ///   lines only.
  package func write(
    as format: StoreExport.Format, to sink: @escaping ([UInt8]) throws -> Void
  ) throws {
    var output = ListingOutput(sink: sink)
    if format == .csv { output.text.append(TextRows.csv(["object"] + names)) }
    var writer = RowWriting(format: format, null: null, indent: "")
    writer.begin(&output.text)
    var count = 0
    try forEachRow { listing, row in
      try writer.write(listing, of: row, to: &output.text)
      count += 1
      // After 1, 2, 4, 8 … rows, and then by size.
      if count < 1024, count & (count - 1) == 0 { try output.flush() }
      try output.flushIfFull()
    }
    writer.end(&output.text)
    if format == .json { output.text.append("\n") }
    try output.flush()
  }

  /// Hands each object's name and values to `body`, in the order of ``names``.
  package func forEach(
    _ body: (_ name: String, _ values: [ListedValue]) throws -> Void
  ) throws {
    try forEachRow { listing, row in
      try body(listing.objectName(of: row), listing.values(of: row))
    }
  }

  /// As an export does, a table that can't be read at all has no rows where what can't be read is left out.
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
