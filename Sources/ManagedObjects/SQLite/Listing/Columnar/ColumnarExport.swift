import DataModels
import Foundation
import ParquetFiles

/// Exports the objects of a store as Parquet files: a table for each entity, with typed columns.
package struct ColumnarExport {
  /// What is written, and how.
  package struct Options: Sendable {
    package var compression = ParquetCompression.gzip
    package var dateUnit = ParquetType.Unit.microseconds
    /// Whether to-many relationships are columns too: lists of keys.
    package var hasToMany = false

    package init() {}
  }

  let rows: StoreRows
  let options: Options
  /// Called with the number of objects written and the total number; nil if progress isn't needed, since counting
  /// takes time.
  package var progress: ((_ done: Int, _ total: Int) -> Void)?

  package init(_ rows: StoreRows, options: Options) {
    self.rows = rows
    self.options = options
  }

  /// Writes each entity to a file of its own.
  ///
  /// - Parameter write: Writes an entity's file, given its name and what writes the file's contents to a sink. Called
  ///   again for the same entity when a value turns out not to fit its column: what has been written until then is
  ///   to be discarded.
  /// - Returns: What has been written.
  package func writeEach(
    _ write: (String, (_ sink: @escaping ([UInt8]) throws -> Void) throws -> Void) throws -> Void
  ) throws -> [ColumnarManifest.Entity] {
    rows.noteStrayRows()
    // An error for an unreadable table is reported when it is exported.
    let total =
      progress == nil ? 0 : rows.entities.reduce(0) { $0 + ((try? rows.count(of: $1)) ?? 0) }
    var done = 0
    return try rows.entities.map { entity in
      let table = try rows.reading { try ColumnarTable(rows, of: entity, options: options) }
      var count = 0
      while true {
        do {
          try write(entity.name) { sink in
            count = 0
            try rows.reading {
              try table.write(options.compression, to: sink) {
                count += 1
                if let progress, (done + count) % 1000 == 0 { progress(done + count, total) }
              }
            }
          }
          break
        } catch let misfit as ColumnarColumn.Misfit {
          table.widen(misfit)
        }
      }
      done += count
      progress?(done, total)
      return table.manifest(count: count)
    }
  }
}
