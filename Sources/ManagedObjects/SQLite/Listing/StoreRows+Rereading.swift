import DataModels

/// Stores that nobody has open are read without SQLite's locks, and a program may open and write one meanwhile.
extension StoreRows {
  private static var attempts: Int { 5 }

  /// Opens a store's rows and reads a single state of them, from the beginning again if another program has written to the
  /// file meanwhile.
  package static func rereading<Result>(
    opening open: () throws -> StoreRows, _ body: (StoreRows) throws -> Result
  ) throws -> Result {
    for _ in 1..<attempts {
      let rows = try open()
      do { return try rows.readingOneState(body) } catch {
        guard rows.connection.isOverwritten else { throw error }
      }
    }
    return try open().readingOneState(body)
  }

  /// Reads rows of a single state.
  ///
  /// - Throws: `ModelFileError` if another program has written to the file meanwhile, even where `body` has passed over
  ///   what it couldn't read.
  package func readingOneState<Result>(_ body: (StoreRows) throws -> Result) throws -> Result {
    let result: Result
    do { result = try body(self) } catch {
      // What `body` has found wrong may be the other program's work.
      try reading { try connection.checkPages() }
      throw error
    }
    try reading { try connection.checkPages() }
    return result
  }
}
