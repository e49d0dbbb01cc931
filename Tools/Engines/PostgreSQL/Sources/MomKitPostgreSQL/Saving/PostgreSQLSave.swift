import Foundation
@_spi(Engines) import MomKit

/// A save: checked and written in an open transaction, then committed.
///
/// Locking is optimistic: updates are conditional on the version that was read, and the number of rows they affect
/// shows whether another writer came first. Only then, or if a constraint is violated, does the save look for
/// conflicts. It therefore takes two round trips, one for all statements and one for the commit (one more if
/// positions of ordered members are needed).
///
/// A transaction that the server aborted in favor of another, or that was lost with its connection before the commit,
/// is run again. If the connection is lost during the commit, the server is asked for the transaction's outcome.
final class PostgreSQLSave: PreparedSave {
  /// Thrown if rows no longer have the version that was read.
  struct MissedRows: Error {}

  private static let mostAttempts = 20

  let engine: PostgreSQLEngine
  let changes: StoreChanges
  private var connection: PostgreSQLConnection?
  private var transactionID = ""
  /// The start time of the server that assigned the transaction ID.
  private var serverStart = ""
  private var outcome = SaveOutcome()
  private var savesMetadata = false
  private var history: [HistoryTables.Change] = []

  /// Executes the first phase of a save.
  init(_ engine: PostgreSQLEngine, _ changes: StoreChanges) throws {
    (self.engine, self.changes) = (engine, changes)
    try prepare(until: Deadline(engine.pool.target.timeout))
  }

  deinit { rollBack() }

  // MARK: Writing

  private func prepare(until deadline: Deadline) throws {
    var attempts = 0
    while true {
      do { return try write() } catch {
        rollBack()
        attempts += 1
        switch error {
        case is MissedRows: break
        case let error as PostgreSQLError
        where error.isUniqueViolation || error.isForeignKeyViolation:
          break
        case let error as PostgreSQLError where error.isTransient || error.isLostConnection:
          guard attempts < Self.mostAttempts || error.isLostConnection,
            deadline.milliseconds > 0, error.isTransient || error.mayRecover
          else { throw error.cocoaError(NSPersistentStoreSaveError) }
          usleep(UInt32.random(in: 1000...(error.isTransient ? 20_000 : 200_000)))
          continue
        case let error as PostgreSQLError: throw meaning(of: error)
        default: throw error
        }
        let conflicts = try SaveConflictSearch(engine, changes).conflicts()
        guard conflicts.isEmpty else { throw conflicts }
        if let error = error as? PostgreSQLError, error.isForeignKeyViolation {
          throw error.cocoaError(NSPersistentStoreSaveError)
        }
        // The conflict no longer exists, so the save is retried.
        guard attempts < Self.mostAttempts, deadline.milliseconds > 0 else {
          if let error = error as? PostgreSQLError {
            throw error.cocoaError(NSPersistentStoreSaveError)
          }
          throw PostgreSQLStore.error(
            NSManagedObjectMergeError, "Other writers keep changing the same rows.")
        }
      }
    }
  }

  private func meaning(of error: PostgreSQLError) -> NSError {
    if let error = engine.lengthRefusal(error) { return error }
    guard error.state == "42P01" || error.state == "42703" else {
      return error.cocoaError(NSPersistentStoreSaveError)
    }
    return PostgreSQLStore.error(
      NSPersistentStoreSaveError,
      "The store's tables no longer exist: it was destroyed or migrated. Nothing was written."
    )
  }

  private func write() throws {
    let connection = try engine.pool.take()
    self.connection = connection
    outcome = SaveOutcome()
    var steps = SaveSteps(engine, changes) { try connection.pipe($0) }
    savesMetadata = engine.hasUnsavedMetadata
    let asked = try steps.questions()
    if let asked {
      var results: [[(Int64, Int64?)]] = []
      try connection.runAll(
        [PostgreSQLConnection.Statement("BEGIN")] + asked
      ) { number, _, rows in
        guard number > 0 else { return }
        results.append(
          try rows.map { (try $0.integer(0), $0.isNull(1) ? nil : try $0.integer(1)) })
      }
      steps.answer(results)
    }
    try connection.pipelined {
      if asked == nil { try steps.add(PostgreSQLConnection.Statement("BEGIN")) }
      let guards = engine.guards()
      try steps.add(guards[0])
      try steps.add(guards[1]) { [engine] _, rows in
        self.transactionID = try engine.checkRecord(rows)
        self.serverStart = rows.first?.text(3) ?? ""
      }
      try steps.addChanges(to: &outcome)
      if savesMetadata { try steps.add(try engine.metadataUpdate()) }
      try steps.add(PostgreSQLConnection.Statement("SET CONSTRAINTS ALL IMMEDIATE"))
    } _: { number, count, rows in
      try steps.checks[number](count, rows)
    }
    try connection.runAll(steps.doubts.statements) { _, _, rows in
      guard rows.isEmpty else { throw MissedRows() }
    }
    history = steps.history.changes
  }

  // MARK: Ending

  func commit() throws -> SaveOutcome? {
    let deadline = Deadline(engine.pool.target.timeout)
    while let connection {
      do {
        try connection.runAll(
          try engine.endings(history, context: changes.contextName, author: changes.author)
        ) { _, _, _ in }
        return finish()
      } catch let error as PostgreSQLError where error.isLostConnection || error.isTimeout {
        recycle()
        guard try wasCommitted(until: deadline, error) else {
          // The transaction left nothing behind, so it is written again under the same rules.
          do { try prepare(until: deadline) } catch is StoreConflicts {
            throw PostgreSQLStore.error(
              NSManagedObjectMergeError,
              "The connection was lost during the commit, nothing was saved, and others have changed the "
                + "same objects since. Save again.")
          }
          continue
        }
        return finish()
      } catch {
        rollBack()
        throw (error as? PostgreSQLError)?.cocoaError(NSPersistentStoreSaveError) ?? error
      }
    }
    throw PostgreSQLStore.error(
      NSPersistentStoreSaveError, "The save has already been rolled back.")
  }

  private func finish() -> SaveOutcome {
    recycle()
    if savesMetadata { engine.didSaveMetadata() }
    return outcome
  }

  /// Asks the server for the outcome of a transaction whose commit got no reply.
  private func wasCommitted(until deadline: Deadline, _ lost: PostgreSQLError) throws -> Bool {
    var last = lost
    repeat {
      do {
        let connection = try engine.pool.take()
        defer { engine.pool.recycle(connection) }
        let (status, start) = try Self.status(of: transactionID, connection)
        switch status {
        case "committed" where start == serverStart: return true
        // After a crash, the ID of a lost transaction may be assigned to another.
        case "committed": return try hasInsertedRow(connection)
        case "aborted": return false
        default: usleep(50_000)
        }
      } catch let error as PostgreSQLError {
        last = error
        guard error.isTimeout || error.isLostConnection && error.mayRecover else { break }
        usleep(100_000)
      }
    } while deadline.milliseconds > 0
    throw PostgreSQLStore.error(
      NSPersistentStoreSaveError,
      "The connection was lost during the commit, and the server can't be asked for its outcome: the "
        + "changes may or may not have been saved. Refresh the objects before saving again. \(last.message)",
      [PostgreSQLStore.sqlStateErrorKey: last.state])
  }

  /// Returns a transaction's status by `pg_xact_status`, and the start time of the server that answers.
  ///
  /// A standby may not have heard of the transaction yet, or not of its end: what it thinks of it is no answer.
  static func status(
    of transactionID: String, _ connection: PostgreSQLConnection
  ) throws -> (status: String, start: String) {
    var parameters = PostgreSQLParameters()
    parameters.append(transactionID)
    var (status, start) = ("", "")
    do {
      try connection.run(
        PostgreSQLConnection.Statement(
          "SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE pg_xact_status($1::text::xid8) END, "
            + "pg_postmaster_start_time()::text", parameters)
      ) { row in
        status = row.isNull(0) ? "unknown" : row.text(0)
        start = row.text(1)
      }
    } catch let error as PostgreSQLError where error.state == "22023" {
      // The ID is in the future, of which the server that assigned it can't speak: it crashed before anything of the
      // transaction was written, or another server took its place that never heard of it.
      status = "aborted"
    }
    return (status, start)
  }

  /// Whether a row that this save inserted exists, identified by a key that only this save could have used.
  ///
  /// - Throws: an error if the save inserted no rows, since nothing else distinguishes its changes from those of
  ///   others.
  private func hasInsertedRow(_ connection: PostgreSQLConnection) throws -> Bool {
    guard let row = changes.inserted.first else {
      throw PostgreSQLStore.error(
        NSPersistentStoreSaveError,
        "The server crashed during the commit, and it is unknown whether the changes were saved. "
          + "Refresh the objects before saving again.")
    }
    var parameters = PostgreSQLParameters()
    parameters.append(row.key)
    let table = try engine.tables.table(row.layout)
    var isThere = false
    try connection.run(
      PostgreSQLConnection.Statement(
        "SELECT 1 FROM \(table.name) WHERE \(SQL.key) = $1", parameters)
    ) { _ in isThere = true }
    return isThere
  }

  func rollBack() {
    guard let connection else { return }
    if !connection.isBroken { try? connection.execute("ROLLBACK") }
    recycle()
  }

  private func recycle() {
    guard let connection else { return }
    self.connection = nil
    engine.pool.recycle(connection)
  }
}

extension PostgreSQLEngine {
  func prepare(_ changes: StoreChanges) throws -> any PreparedSave {
    try requireNoBatch()
    return try PostgreSQLSave(self, changes)
  }

  /// Returns the error for a value that is too long for the index of a uniqueness constraint, which no other way to save
  /// it avoids; nil for other errors.
  func lengthRefusal(_ error: PostgreSQLError) -> NSError? {
    guard error.state == "54000", let name = error.constraint else { return nil }
    for table in tables.schema.tables {
      guard let unique = table.uniques.first(where: { $0.name == name }) else { continue }
      let properties = unique.properties.map { "'\($0)'" }.joined(separator: ", ")
      return PostgreSQLStore.error(
        NSPersistentStoreSaveError,
        "A value of \(properties) in \(table.name) can't be saved: it is too long for the index of the uniqueness "
          + "constraint, of which PostgreSQL's rows have at most 2704 bytes. Shorten it, or remove the "
          + "constraint from the model.",
        [
          NSValidationKeyErrorKey: unique.properties.first ?? "",
          PostgreSQLStore.sqlStateErrorKey: error.state,
        ])
    }
    return nil
  }

  func lost(_ what: String) -> NSError {
    PostgreSQLStore.error(
      NSPersistentStoreSaveError,
      "The store at \(place) \(what) since it was opened; nothing was written.")
  }

  func outdated() -> NSError {
    PostgreSQLStore.error(
      NSPersistentStoreIncompatibleVersionHashError,
      "The store at \(place) was migrated to another version of the model while it was open; nothing "
        + "was written. Open it again with that version.")
  }
}
