import Foundation
@_spi(Engines) import MomKit

/// Batch requests, each of which runs in one transaction without creating objects.
extension PostgreSQLEngine: RequestEngine {
  func insert(_ batch: BatchInsertion) throws -> BatchOutcome {
    let rows = BatchRows(batch)
    return try inBatch(batch.author, isRepeatable: { rows.rewind() }) { connection in
      var inserter = try BatchInserter(self, connection, batch, rows)
      return (try inserter.run(), inserter.history)
    }
  }

  func update(_ batch: BatchUpdate) throws -> BatchOutcome {
    try inBatch(batch.author) { connection in
      var updater = BatchUpdater(self, connection, batch)
      return try updater.run()
    }
  }

  func delete(_ batch: BatchDeletion) throws -> BatchOutcome {
    try inBatch(batch.author) { connection in
      var deleter = BatchDeleter(self, connection, batch)
      return (try deleter.run(), deleter.history)
    }
  }

  /// Refuses to write for the handler or the predicate of a batch request: what these write would wait for the batch,
  /// which waits for them.
  func requireNoBatch() throws {
    guard batchConnection == nil else {
      throw PostgreSQLStore.error(
        NSPersistentStoreSaveError,
        "The store can't be written while a batch request of the same store calls the program: do so before or after "
          + "it, or use a store of its own.")
    }
  }

  /// Runs a statement that asks what the server may be unable to compute, and passes each row to a closure. Where a
  /// batch calls the program, its transaction goes on even so.
  func ask(
    _ connection: PostgreSQLConnection, _ statement: PostgreSQLConnection.Statement,
    _ body: (PostgreSQLRow) throws -> Void
  ) throws {
    guard batchConnection != nil else { return try connection.run(statement, body) }
    try connection.runInSavepoint(statement) { _, rows in
      for row in rows { try body(row) }
    }
  }

  /// Runs a batch in a transaction, again if the server has aborted it in favor of another, or if the connection was
  /// lost before the commit.
  ///
  /// - Parameter isRepeatable: called before it is run again.
  private func inBatch(
    _ author: BatchAuthor, isRepeatable: () -> Bool = { true },
    _ body: (PostgreSQLConnection) throws -> (BatchOutcome, [HistoryTables.Change])
  ) throws -> BatchOutcome {
    try requireNoBatch()
    let deadline = Deadline(pool.target.timeout)
    var attempts = 0
    return try translatingErrors(NSPersistentStoreSaveError) {
      while true {
        var isCommitting = false
        do {
          return try transaction(author, &isCommitting, body)
        } catch let error as PostgreSQLError where error.isTransient {
          attempts += 1
          guard attempts < 20, deadline.milliseconds > 0, isRepeatable() else { throw error }
          usleep(UInt32.random(in: 1000...20_000))
        } catch let error as PostgreSQLError where error.isLostConnection {
          guard !isCommitting else { throw unknownOutcome(error) }
          guard deadline.milliseconds > 0, error.mayRecover, isRepeatable() else { throw error }
          usleep(UInt32.random(in: 1000...200_000))
        } catch let error as PostgreSQLError {
          throw lengthRefusal(error) ?? error
        }
      }
    }
  }

  /// Runs a batch in a transaction whose statements see earlier changes; its history is written last.
  ///
  /// - Parameter isCommitting: whether the commit has been sent.
  private func transaction(
    _ author: BatchAuthor, _ isCommitting: inout Bool,
    _ body: (PostgreSQLConnection) throws -> (BatchOutcome, [HistoryTables.Change])
  ) throws -> BatchOutcome {
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
      let endings = try endings(history, context: author.contextName, author: author.author)
      isCommitting = true
      try connection.runAll(
        [PostgreSQLConnection.Statement("SET CONSTRAINTS ALL IMMEDIATE")] + endings
      ) { _, _, _ in }
      return outcome
    } catch {
      if !connection.isBroken { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  private func unknownOutcome(_ error: PostgreSQLError) -> NSError {
    PostgreSQLStore.error(
      NSPersistentStoreSaveError,
      "The connection was lost during the commit of a batch, which may or may not have been done: look "
        + "before repeating it. \(error.message)", [PostgreSQLStore.sqlStateErrorKey: error.state])
  }
}

extension PostgreSQLConnection {
  /// Runs a statement in a transaction, which goes on without it if the server rejects it.
  ///
  /// - Parameter body: called with the number of rows that the statement affected or returned, and these.
  fileprivate func runInSavepoint(
    _ statement: Statement, _ body: (_ count: Int, _ rows: [PostgreSQLRow]) throws -> Void
  ) throws {
    let name = "_momkit"
    var failure: (any Error)?
    do {
      let statements = [
        Statement("SAVEPOINT \(name)"), statement, Statement("RELEASE SAVEPOINT \(name)"),
      ]
      try runAll(statements) { number, count, rows in
        guard number == 1 else { return }
        do { try body(count, rows) } catch { failure = error }
      }
    } catch {
      if !isBroken {
        try execute("ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
      }
      throw error
    }
    if let failure { throw failure }
  }

  /// Runs a statement in a transaction and returns the number of rows it changed, or returns nil if the server can't
  /// compute it: the transaction then goes on without it.
  func attempt(_ statement: Statement) throws -> Int? {
    var count = 0
    do {
      try runInSavepoint(statement) { changed, _ in count = changed }
    } catch let error as PostgreSQLError where error.exceedsServer {
      return nil
    }
    return count
  }
}

/// The rows of an insertion, which the program gives only once. The first ones are kept, for a transaction that must be
/// run again.
final class BatchRows {
  private static let mostKept = 20_000

  private let next: () throws -> BatchInsertion.Row?
  private var kept: [BatchInsertion.Row] = []
  /// The number of kept rows that have been read since the beginning.
  private var place = 0
  private var isOver = false
  private var isRepeatable = true

  init(_ batch: BatchInsertion) { next = batch.next }

  /// Returns the next row, or nil at the end.
  func read() throws -> BatchInsertion.Row? {
    if place < kept.count {
      place += 1
      return kept[place - 1]
    }
    guard !isOver, let row = try next() else {
      isOver = true
      return nil
    }
    guard isRepeatable else { return row }
    if kept.count < Self.mostKept {
      kept.append(row)
      place += 1
    } else {
      (kept, place, isRepeatable) = ([], 0, false)
    }
    return row
  }

  /// Returns to the first row, or returns false if it is no longer there.
  func rewind() -> Bool {
    place = 0
    return isRepeatable
  }
}
