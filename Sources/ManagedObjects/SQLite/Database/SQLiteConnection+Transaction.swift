/// Transactions: all of it, or nothing.
extension SQLiteConnection {
  /// When a transaction takes its lock.
  enum TransactionKind: String, Sendable {
    /// With its first statement: a stable view for reading.
    case deferred = "BEGIN DEFERRED"
    /// At once, for writing; readers go on.
    case immediate = "BEGIN IMMEDIATE"
    /// At once; in rollback-journal mode readers wait too.
    case exclusive = "BEGIN EXCLUSIVE"
  }

  /// Runs `body` in one transaction, committed when it returns and rolled back when it throws.
  ///
  /// Inside an open transaction `body` simply joins it.
  func transaction<Result>(
    _ kind: TransactionKind, _ body: () throws -> Result
  ) throws -> Result {
    guard !isInTransaction else { return try body() }
    try execute(kind.rawValue)
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite has already rolled back after some errors (disk full, for one); asking it again
      // then is an error that says nothing new.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }
}
