import Foundation

/// Exact copies of SQLite stores: every table, whatever is in it, and the external files.
package enum SQLiteFileCopy {
  /// The number of rows of a table, and a checksum of them.
  private struct Sum: Equatable {
    var count = 0
    var hashes: UInt64 = 0
  }

  /// Copies a store as it is at this moment, and compares the copy with it.
  ///
  /// - Returns: the number of rows of each table, sorted by name.
  /// - Throws: an `NSError`; what was written is incomplete then.
  package static func make(at url: URL, of source: URL) throws -> [(table: String, count: Int)] {
    let files = ExternalData(store: source)
    let reader = RetiredFiles.Reader(of: files.folder)
    defer { withExtendedLifetime(reader) {} }
    do {
      let to = try SQLiteConnection(writing: url, creation: .ifMissing)
      let expected = try SQLiteConnection.following(source, waits: true) { from in
        try from.execute("BEGIN")
        let expected = try sums(from)
        _ = try to.replaceContents(with: from)
        return expected
      }
      try WorkingCopy.share(files, with: url)
      let made = try sums(to)
      let differing = Set(made.keys).union(expected.keys).filter { made[$0] != expected[$0] }
      guard differing.isEmpty else {
        throw CoreDataError.make(
          NSPersistentStoreOperationError,
          "The copy differs from the original in: \(differing.sorted().joined(separator: ", ")).")
      }
      return expected.sorted { $0.key < $1.key }.map { ($0.key, $0.value.count) }
    } catch let error as SQLiteError {
      throw error.cocoaError(NSPersistentStoreOperationError)
    }
  }

  private static func sums(_ connection: SQLiteConnection) throws -> [String: Sum] {
    var names: [String] = []
    try connection.withStatement(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    ) { row in
      while try row.step() { if let name = row.text(at: 0) { names.append(name) } }
    }
    var sums: [String: Sum] = [:]
    for name in names { sums[name] = try sum(name, connection) }
    return sums
  }

  private static func sum(_ table: String, _ connection: SQLiteConnection) throws -> Sum {
    var sum = Sum()
    try connection.withStatement("SELECT * FROM \(SQLLiteral.name(table))") { row in
      while try row.step() {
        var hasher = Hasher()
        for column in 0..<Int32(row.columnCount) {
          let type = row.type(at: column)
          hasher.combine(type)
          switch type {
          case .null: break
          case .integer: hasher.combine(row.integer(at: column))
          case .real: hasher.combine(row.double(at: column).bitPattern)
          case .text, .blob:
            row.withBlob(at: column) { bytes in
              hasher.combine(bytes?.count)
              if let bytes { hasher.combine(bytes: bytes) }
            }
          }
        }
        sum.count += 1
        sum.hashes &+= UInt64(bitPattern: Int64(hasher.finalize()))
      }
    }
    return sum
  }
}
