import Dispatch
import Synchronization

/// Writes a table as a Parquet file, row by row.
///
/// ```swift
/// let writer = try ParquetWriter(columns: [ParquetColumn("name", .text)], to: sink)
/// try writer.columns[0].append("Ada".utf8)
/// try writer.endRow()
/// try writer.finish()
/// ```
///
/// Rows are kept until they fill a row group, which is then encoded, its columns on all processors, and handed to the
/// sink. Equal rows give equal bytes.
package final class ParquetWriter {
  /// A writer for each column: each row must be given to all of them.
  package let columns: [ParquetColumnWriter]
  /// The number of rows so far.
  package private(set) var rowCount = 0

  private let compression: ParquetCompression
  private let sink: ([UInt8]) throws -> Void
  private var offset = 0
  private var groupRows = 0
  private var groups: [[UInt8]] = []
  private let rowsOfGroup: Int
  /// The columns whose size isn't known by the number of rows.
  private let growing: [ParquetColumnWriter]

  private static let magic = Array("PAR1".utf8)
  /// DuckDB's number: what one thread reads at a time.
  package static let rowsOfGroup = 122_880
  /// The memory of a row group, in bytes.
  private static let groupSize = 32 << 20

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - rowsOfGroup: The largest number of rows in a row group; one with large values has fewer.
  ///   - sink: Receives the file piece by piece.
  /// - Throws: ``ParquetError`` for columns that no file can have, or the sink's errors.
  package init(
    columns: [ParquetColumn], compression: ParquetCompression = .gzip,
    rowsOfGroup: Int = ParquetWriter.rowsOfGroup, to sink: @escaping ([UInt8]) throws -> Void
  ) throws {
    var names: Set<String> = []
    if let double = columns.first(where: { !names.insert($0.name).inserted }) {
      throw ParquetError.invalidColumns("two have the name \(double.name)")
    }
    guard !columns.isEmpty else { throw ParquetError.invalidColumns("there are none") }
    self.columns = columns.map { ParquetColumnWriter($0) }
    self.compression = compression
    self.sink = sink
    self.rowsOfGroup = max(1, min(rowsOfGroup, 2 * Self.groupSize / (9 * columns.count)))
    growing = self.columns.filter { $0.column.type.width == nil || $0.column.count == .list }
    try write(Self.magic)
  }

  /// Ends a row, after each column has been given its value.
  package func endRow() throws {
    rowCount += 1
    groupRows += 1
    guard groupRows < rowsOfGroup, growing.reduce(0, { $0 + $1.values.size }) < Self.groupSize
    else {
      return try writeGroup()
    }
  }

  /// Writes what is left, and the footer.
  package func finish() throws {
    if groupRows > 0 { try writeGroup() }
    let footer = FileFooter(columns: columns.map(\.column), rowCount: rowCount, groups: groups)
      .bytes
    guard footer.count <= Int(Int32.max) else {
      throw ParquetError.invalidColumns("the footer would be larger than 2 GiB")
    }
    try write(footer + PlainEncoding.bytes(of: Int64(footer.count)).prefix(4) + Self.magic)
  }

  // MARK: Row groups

  private func writeGroup() throws {
    let chunks = try encodedColumns()
    let start = offset
    var metadata: [[UInt8]] = []
    for chunk in chunks {
      metadata.append(chunk.metadata(at: offset))
      try write(chunk.bytes)
    }
    groups.append(
      ThriftWriter.structure { group in
        group.list(1, structures: metadata)
        group.field(2, Int64(chunks.reduce(0) { $0 + $1.totalUncompressedSize }))
        group.field(3, Int64(groupRows))
        group.field(5, Int64(start))
        group.field(6, Int64(offset - start))
      })
    groupRows = 0
  }

  /// Encodes the values of all columns, and empties the columns.
  private func encodedColumns() throws -> [ColumnChunk] {
    let parts = columns.map { writer in
      defer { writer.values = ColumnValues() }
      return (values: writer.values, column: writer.column)
    }
    let compression = compression
    let results = Mutex([Result<ColumnChunk, ParquetError>?](repeating: nil, count: parts.count))
    DispatchQueue.concurrentPerform(iterations: parts.count) { index in
      let result = Result<ColumnChunk, ParquetError> { () throws(ParquetError) in
        try ColumnChunk(parts[index].values, of: parts[index].column, compression)
      }
      results.withLock { $0[index] = result }
    }
    return try results.withLock { $0 }.compactMap { try $0?.get() }
  }

  private func write(_ bytes: [UInt8]) throws {
    try sink(bytes)
    offset += bytes.count
  }
}
