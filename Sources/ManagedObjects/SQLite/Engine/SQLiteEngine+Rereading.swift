import DataModels
import Foundation

/// Rows whose external files are gone when they are read.
extension SQLiteEngine {
  /// Reads the current version of a row again, after the file of one of its values was missing: another writer may
  /// have replaced the value after the statement had begun. A value whose file is still missing is null, and so is one
  /// of a pinned snapshot if the current version names the same file: it isn't there for anybody.
  ///
  /// - Returns: false if the row is gone, too.
  @inline(never)
  func decodeAgain(
    _ row: SQLiteStatement, _ key: Int64, reader: RowShape.Reader, after error: any Error,
    into buffer: RowBuffer
  ) throws -> Bool {
    guard ExternalData.isMissingFile(error) else { throw error }
    guard !readsOneState else {
      guard !requiresExternalFiles, !isBehind,
        try keptFiles == nil || areLost(row, key: key, reader: reader)
      else { throw error }
      var decoder = RowDecoder(store: reference, layouts: layouts, externalData: externalData)
      decoder.passesOverMissingFiles = true
      try decoder.decode(row, reader, into: buffer)
      return true
    }
    return try withCurrentRow(key, reader: reader) { row, present in
      var decoder = RowDecoder(store: reference, layouts: layouts, externalData: externalData)
      decoder.passesOverMissingFiles = !requiresExternalFiles
      try decoder.decode(row, present, into: buffer)
      return true
    } ?? false
  }

  /// Whether nothing is read again: a pinned snapshot reads no other state, and during a write there are no other
  /// writers. A store that is only read, or that nobody else can open, isn't opened in any other way.
  private var readsOneState: Bool {
    connection.isInTransaction || isExclusive
      || connection.isReadOnly && connection.plan != .shared
  }

  /// Whether a value whose file is missing is null, whatever its row. If the file of a store that is only read was written
  /// meanwhile, the request is repeated instead.
  var passesOverMissingFiles: Bool {
    !requiresExternalFiles && (!readsOneState || keptFiles == nil && !isBehind)
  }

  /// Whether the current version of a snapshot's row names the same missing files: nobody has replaced their values.
  private func areLost(
    _ row: SQLiteStatement, key: Int64, reader: RowShape.Reader
  ) throws -> Bool {
    try withCurrentRow(key, reader: reader) { current, present in
      try zip(reader.fields, present.fields).allSatisfy { mine, theirs in
        try zip(mine.externalColumns, theirs.externalColumns).allSatisfy { column, other in
          guard let bytes = try ColumnConversion.data(row, Int32(column)),
            let file = externalData.file(of: bytes),
            !FileManager.default.fileExists(atPath: file.path)
          else { return true }
          return try ColumnConversion.data(current, Int32(other)) == bytes
        }
      }
    } ?? false
  }

  /// Calls `body` with the current version of a row, which a second connection reads; nil if the row is gone.
  private func withCurrentRow<Result>(
    _ key: Int64, reader: RowShape.Reader,
    _ body: (SQLiteStatement, RowShape.Reader) throws -> Result
  ) throws -> Result? {
    let now = try secondReader ?? makeSecondReader()
    secondReader = now
    let shape = try now.shape(reader.layout.root)
    return try now.connection.withStatement(shape.rowSQL) { row in
      try row.bind(key, at: 1)
      guard try row.step() else { return nil }
      let number = shape.entityColumn.map { row.integer(at: $0) }
      guard let present = number.map(shape.reader) ?? shape.onlyReader,
        present.layout === reader.layout
      else { return nil }
      return try body(row, present)
    }
  }

  /// An engine that reads the current state while a statement of this engine is running.
  ///
  /// Only for a store that may be written to opens it a connection that could write: that may create, or at its end
  /// remove, files beside the store.
  private func makeSecondReader() throws -> SQLiteEngine {
    let url = URL(fileURLWithPath: connection.path)
    let now = try SQLiteEngine(
      reading: self,
      through: connection.isReadOnly
        ? .reading(url, timeout: connection.timeout)
        : SQLiteConnection(writing: url, creation: .existing, timeout: connection.timeout))
    try now.connection.execute("PRAGMA query_only=1")
    return now
  }
}
