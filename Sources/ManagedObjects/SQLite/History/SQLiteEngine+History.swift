import DataModels
import Foundation

/// Reading and pruning persistent history.
extension SQLiteEngine {
  /// Enables history tracking if the options request it.
  func openHistory(_ opening: StoreOpening) throws {
    guard !isReadOnly,
      StoreOptions.isOn(NSPersistentHistoryTrackingKey, in: opening.options)
    else { return }
    if try !historyStatements().isEmpty {
      try connection.transaction(.immediate) {
        // Another program may have done so while this one waited for it.
        for statement in try historyStatements() { try connection.execute(statement) }
      }
    }
    historyWriter = try HistoryWriter(connection)
  }

  /// The statements that make the store's history what this one writes.
  private func historyStatements() throws -> [String] {
    if try connection.hasTable("ACHANGE") { return try HistorySchema.additions(in: connection) }
    let tombstones =
      layouts.compactMap { $0.map { HistoryWriter.tombstoneProperties(of: $0).count } }.max() ?? 0
    return HistorySchema.statements(tombstones: tombstones)
  }

  func history(_ query: HistoryQuery) throws -> [NSPersistentHistoryTransaction] {
    try followingFile { try historyNow(query) }
  }

  private func historyNow(_ query: HistoryQuery) throws -> [NSPersistentHistoryTransaction] {
    guard try connection.hasTable("ATRANSACTION") else { return [] }
    return try translatingErrors {
      // A single snapshot for transactions and changes, independent of other writers.
      try connection.transaction(.deferred) {
        try requireReadable()
        if case .number(let number) = query.after { try checkReach(to: number) }
        var reader = try HistoryReader(self)
        return try reader.transactions(query)
      }
    }
  }

  func historyPosition() throws -> Int64? {
    try followingFile { try historyPositionNow() }
  }

  private func historyPositionNow() throws -> Int64? {
    guard try connection.hasTable("ATRANSACTION") else { return nil }
    // After pruning, only the counter has the position; rows of another writer may be ahead of it.
    return try translatingErrors {
      max(
        try connection.integer(
          "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistorySchema.transactionNumber)") ?? 0,
        try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0)
    }
  }

  /// Checks that nothing after a transaction was pruned.
  private func checkReach(to number: Int64) throws {
    let oldest =
      try connection.integer("SELECT min(Z_PK) FROM ATRANSACTION")
      ?? (try historyPosition() ?? 0).addingReportingOverflow(1).partialValue
    guard oldest > .min, number < oldest - 1 else { return }
    throw CoreDataError.make(
      NSPersistentHistoryTokenExpiredError,
      "Persistent history begins with transaction \(oldest); the token ends with \(number).",
      userInfo: [NSFilePathErrorKey: connection.path])
  }

  func deleteHistory(before bound: HistoryQuery.Bound) throws -> Int {
    if case .beginning = bound { return 0 }
    guard try connection.hasTable("ATRANSACTION") else { return 0 }
    guard !isReadOnly else {
      throw CoreDataError.make(NSPersistentStoreSaveError, "The store is read-only.")
    }
    try requireNoBatch()
    try requireFile()
    let condition: String
    switch bound {
    case .beginning: return 0
    case .number: condition = "Z_PK < ?"
    case .date: condition = "ZTIMESTAMP < ?"
    }
    return try translatingErrors(NSPersistentStoreSaveError) {
      try connection.transaction(.immediate) {
        func delete(_ sql: String) throws -> Int {
          try connection.withStatement(sql) { row in
            switch bound {
            case .number(let number): try row.bind(number, at: 1)
            case .date(let date): try row.bind(date.timeIntervalSinceReferenceDate, at: 1)
            case .beginning: break
            }
            try row.run()
            return connection.changedRowCount
          }
        }
        try requireSameStore()
        try keepHistoryCounters()
        _ = try delete(
          "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION "
            + "WHERE \(condition))")
        return try delete("DELETE FROM ATRANSACTION WHERE \(condition)")
      }
    }
  }

  func deleteHistory(ofTransactions numbers: [Int64]) throws -> Int {
    guard !numbers.isEmpty, try connection.hasTable("ATRANSACTION") else { return 0 }
    guard !isReadOnly else {
      throw CoreDataError.make(NSPersistentStoreSaveError, "The store is read-only.")
    }
    try requireNoBatch()
    try requireFile()
    return try translatingErrors(NSPersistentStoreSaveError) {
      try connection.transaction(.immediate) {
        try requireSameStore()
        try keepHistoryCounters()
        var count = 0
        for number in numbers {
          for sql in [
            "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = ?",
            "DELETE FROM ATRANSACTION WHERE Z_PK = ?",
          ] {
            try connection.withStatement(sql) { row in
              try row.bind(number, at: 1)
              try row.run()
            }
          }
          count += connection.changedRowCount
        }
        return count
      }
    }
  }

  /// Keys never restart: the counters keep the last transaction after its row is gone.
  private func keepHistoryCounters() throws {
    _ = try reserveKeys(
      0, number: HistorySchema.transactionNumber, name: "TRANSACTION", table: "ATRANSACTION")
    _ = try reserveKeys(0, number: HistorySchema.changeNumber, name: "CHANGE", table: "ACHANGE")
  }

  func watch(_ handler: @escaping @Sendable () -> Void) {
    guard connection.path != ":memory:" else { return }
    watcher = StoreWatcher(self, handler)
  }
}
