import DataModels
import Foundation
@_spi(Engines) import MomKit

/// Fetching and purging persistent history.
extension PostgreSQLEngine {
  func historyPosition() throws -> Int64? {
    guard hasHistoryTables else { return nil }
    return try withConnection { connection in
      var last: Int64?
      try connection.run(
        PostgreSQLConnection.Statement("SELECT last FROM \(HistoryTables.counter)")
      ) { last = try $0.integer(0) }
      return last
    }
  }

  func history(_ query: HistoryQuery) throws -> [NSPersistentHistoryTransaction] {
    guard hasHistoryTables else { return [] }
    return try withConnection { connection in
      // A consistent view of transactions and changes, whatever others write meanwhile.
      try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      defer { if !connection.isBroken { try? connection.execute("COMMIT") } }
      if case .number(let number) = query.after { try checkReach(to: number, connection) }
      var found = try transactions(query.after, connection)
      guard query.includesChanges else { return found }
      var changes = try self.changes(of: found, query.after, connection)
      for (index, transaction) in found.enumerated() {
        found[index] = transaction.with(
          changes.removeValue(forKey: transaction.transactionNumber) ?? [])
      }
      return found
    }
  }

  /// Checks that no transaction after the given one has been purged.
  private func checkReach(to number: Int64, _ connection: PostgreSQLConnection) throws {
    var oldest: Int64 = 0
    try connection.run(
      PostgreSQLConnection.Statement(
        "SELECT coalesce((SELECT min(number) FROM \(HistoryTables.transactions)), last + 1) "
          + "FROM \(HistoryTables.counter)")
    ) { oldest = try $0.integer(0) }
    guard number < oldest - 1 else { return }
    throw PostgreSQLStore.error(
      NSPersistentHistoryTokenExpiredError,
      "Persistent history begins with transaction \(oldest); the token ends with \(number).")
  }

  /// Returns the condition for transactions after, or before, a point in history.
  private func condition(
    _ bound: HistoryQuery.Bound, _ column: String, _ time: String, _ symbol: String,
    _ parameters: inout PostgreSQLParameters
  ) -> String? {
    switch bound {
    case .beginning: return nil
    case .number(let number):
      parameters.append(number)
      return "\(column) \(symbol) $\(parameters.count)"
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      let limit: Int64 = seconds < 0 ? .min : .max
      parameters.append(.timestamp(PostgreSQLTimestamp.microseconds(seconds) ?? limit))
      return "\(time) \(symbol) $\(parameters.count)"
    }
  }

  private func transactions(
    _ bound: HistoryQuery.Bound, _ connection: PostgreSQLConnection
  ) throws -> [NSPersistentHistoryTransaction] {
    var parameters = PostgreSQLParameters()
    let condition = condition(bound, "number", "time", ">", &parameters) ?? "TRUE"
    var found: [NSPersistentHistoryTransaction] = []
    try connection.run(
      PostgreSQLConnection.Statement(
        "SELECT number, time, bundle, process, context, author FROM "
          + "\(HistoryTables.transactions) WHERE \(condition) ORDER BY number", parameters)
    ) { row in
      func text(_ column: Int32) -> String? { row.isNull(column) ? nil : row.text(column) }
      found.append(
        NSPersistentHistoryTransaction(
          number: try row.integer(0),
          timestamp: Date(
            timeIntervalSinceReferenceDate: PostgreSQLTimestamp.seconds(try row.integer(1))),
          storeID: reference.identifier, bundleID: text(2), processID: text(3),
          contextName: text(4), author: text(5)))
    }
    return found
  }

  private func changes(
    of transactions: [NSPersistentHistoryTransaction], _ bound: HistoryQuery.Bound,
    _ connection: PostgreSQLConnection
  ) throws -> [Int64: [NSPersistentHistoryChange]] {
    let byNumber = Dictionary(
      transactions.map { ($0.transactionNumber, $0) }, uniquingKeysWith: { first, _ in first })
    var parameters = PostgreSQLParameters()
    let condition = condition(bound, "h.number", "h.time", ">", &parameters) ?? "TRUE"
    var found: [Int64: [NSPersistentHistoryChange]] = [:]
    try connection.run(
      PostgreSQLConnection.Statement(
        "SELECT c.transaction, c.number, c.entity, c.key, c.kind, "
          + "array_to_string(c.properties, E'\\n'), c.tombstone FROM \(HistoryTables.changes) c "
          + "JOIN \(HistoryTables.transactions) h ON h.number = c.transaction WHERE \(condition) "
          + "ORDER BY c.transaction, c.number", parameters)
    ) { row in
      // Changes of entities that the model no longer contains are skipped.
      guard let layout = tables.layouts[row.text(2)],
        let transaction = byNumber[try row.integer(0)],
        let kind = NSPersistentHistoryChangeType(rawValue: Int(try row.integer(4)))
      else { return }
      let names = row.isNull(5) ? [] : row.text(5).split(separator: "\n").map(String.init)
      let properties = Set(names.compactMap { layout.property($0)?.description })
      found[transaction.transactionNumber, default: []].append(
        NSPersistentHistoryChange(
          id: try row.integer(1), type: kind,
          object: NSManagedObjectID(layout: layout, store: reference, key: try row.integer(3)),
          updated: kind == .update ? properties : nil,
          tombstone: row.isNull(6) ? nil : HistoryTables.values(try row.json(6), layout),
          transaction: transaction))
    }
    return found
  }

  func deleteHistory(before bound: HistoryQuery.Bound) throws -> Int {
    guard hasHistoryTables else { return 0 }
    guard !isReadOnly else {
      throw PostgreSQLStore.error(NSPersistentStoreSaveError, "The store is read-only.")
    }
    try requireNoBatch()
    var parameters = PostgreSQLParameters()
    guard let condition = condition(bound, "number", "time", "<", &parameters) else { return 0 }
    var count = 0
    try withConnection(NSPersistentStoreSaveError) { connection in
      count = 0
      try connection.runAll([
        PostgreSQLConnection.Statement(
          "DELETE FROM \(HistoryTables.transactions) WHERE \(condition)", parameters)
      ]) { _, changed, _ in count = changed }
    }
    return count
  }

  func deleteHistory(ofTransactions numbers: [Int64]) throws -> Int {
    guard hasHistoryTables, !numbers.isEmpty else { return 0 }
    guard !isReadOnly else {
      throw PostgreSQLStore.error(NSPersistentStoreSaveError, "The store is read-only.")
    }
    try requireNoBatch()
    let list = numbers.map { "\($0)" }.joined(separator: ", ")
    var count = 0
    try withConnection(NSPersistentStoreSaveError) { connection in
      count = 0
      var statement = PostgreSQLConnection.Statement(
        "DELETE FROM \(HistoryTables.transactions) WHERE number IN (\(list))")
      statement.isKept = false
      try connection.runAll([statement]) { _, changed, _ in count = changed }
    }
    return count
  }
}
