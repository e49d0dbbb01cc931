import Foundation
@_spi(Engines) import MomKit

/// Batch requests, each of which runs in one transaction without creating objects.
extension PostgreSQLEngine: RequestEngine {
  func insert(_ batch: BatchInsertion) throws -> BatchOutcome {
    try inBatch(batch.author) { connection in
      var inserter = try BatchInserter(self, connection, batch)
      return (try inserter.run(), inserter.history)
    }
  }

  func update(_ batch: BatchUpdate) throws -> BatchOutcome {
    try inBatch(batch.author) { try BatchUpdater(self, $0, batch).run() }
  }

  func delete(_ batch: BatchDeletion) throws -> BatchOutcome {
    try inBatch(batch.author) { connection in
      var deleter = BatchDeleter(self, connection, batch)
      return (try deleter.run(), deleter.history)
    }
  }

  /// Runs a batch in a transaction whose statements see earlier changes; its history is written last.
  private func inBatch(
    _ author: BatchAuthor,
    _ body: (PostgreSQLConnection) throws -> (BatchOutcome, [HistoryTables.Change])
  ) throws -> BatchOutcome {
    do {
      let connection = try pool.take()
      defer {
        batchConnection = nil
        pool.recycle(connection)
      }
      batchConnection = connection
      do {
        try connection.runAll(
          [PostgreSQLConnection.Statement("BEGIN")] + guards()
        ) { number, _, rows in
          if number == 2 { _ = try checkRecord(rows) }
        }
        let (outcome, history) = try body(connection)
        try connection.runAll(
          [PostgreSQLConnection.Statement("SET CONSTRAINTS ALL IMMEDIATE")]
            + endings(history, context: author.contextName, author: author.author)
        ) { _, _, _ in }
        return outcome
      } catch {
        if !connection.isBroken { try? connection.execute("ROLLBACK") }
        throw error
      }
    } catch let error as PostgreSQLError {
      throw error.cocoaError(NSPersistentStoreSaveError)
    }
  }
}
