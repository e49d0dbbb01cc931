/// Transactions.
extension SQLiteConnection {
  /// The time at which a transaction takes its lock.
  enum TransactionKind: String, Sendable {
    /// With its first statement: a stable snapshot for reading.
    case deferred = "BEGIN DEFERRED"
    /// At once, for writing; readers continue.
    case immediate = "BEGIN IMMEDIATE"
    /// At once; in rollback journal mode readers wait too.
    case exclusive = "BEGIN EXCLUSIVE"
  }

  /// Runs `body` in a transaction, which is committed when it returns and rolled back when it throws.
  ///
  /// Inside an open transaction, `body` joins that transaction.
  func transaction<Result>(
    _ kind: TransactionKind, _ body: () throws -> Result
  ) throws -> Result {
    guard !isInTransaction else { return try body() }
    try begin(kind)
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      // After some errors, such as a full disk, SQLite has already rolled back; a second rollback would fail without
      // new information.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  // Parsing these two takes SQLite longer than running them: their prepared forms are kept.

  /// Opens a transaction.
  func begin(_ kind: TransactionKind) throws { try withStatement(kind.rawValue) { try $0.run() } }

  /// Commits the open transaction.
  func commit() throws { try withStatement("COMMIT") { try $0.run() } }
}
