import Foundation
import MomKit
import MomKitPostgreSQL

/// How the costs of saves and of reading the last transaction grow with the length of persistent history.
///
/// The history is written by plain SQL, since only its length matters.
struct HistoryGrowth {
  private static let lengths = [0, 1000, 10_000, 100_000, 1_000_000]
  private static let saves = 100

  let server: String
  /// The greatest length.
  let rows: Int

  func run() throws -> [SpeedTable.Line] {
    let schemas = ["objects", "twin"]
    let options = [NSPersistentHistoryTrackingKey: true]
    let url = try SpeedRounds.url(server, schemas[0])
    let objects = try ObjectWork(url: url, rows: 100, options: options)
    try ObjectWork(
      url: SpeedRounds.url(server, schemas[1]), rows: 100, options: options
    ).close()
    let twin = try TwinWork(url: server, schema: schemas[1], rows: 100)
    try twin.prepareHistory()
    _ = try objects.insert()
    _ = try twin.insert()
    var lines: [SpeedTable.Line] = []
    for length in Self.lengths where length <= rows {
      for schema in schemas { try lengthen(schema, to: length, twin.connection) }
      var table = SpeedTable(rows: length)
      for _ in 0..<3 {
        let twinSaves = try measure(twin) { try twin.birthdayWithHistory(Int64($0 % 100 + 1)) }
        let people = try objects.everybody()
        let objectSaves = try measure(objects) { step in
          guard let context = people.context, let person = people.people?[step % 100] else {
            return
          }
          person.age += 1
          try context.save()
        }
        table.add("saves of one", objects: objectSaves, twin: twinSaves)
        let position = try twin.position() - 1
        let twinReads = try measure(twin) { _ in try twin.transactions(after: position) }
        let token = try objects.tokenBeforeLast()
        let objectReads = try measure(objects) { _ in try objects.transactions(after: token) }
        table.add("last transaction", objects: objectReads, twin: twinReads)
      }
      lines += table.lines
    }
    try objects.close()
    for schema in schemas { try twin.connection.execute("DROP SCHEMA \(schema) CASCADE") }
    return lines
  }

  private func measure(
    _ objects: ObjectWork, _ body: (Int) throws -> Void
  ) throws -> SpeedTable.Run {
    try SpeedRounds.measure(trips: { try PostgreSQLStore.roundTrips(at: objects.url) }) {
      for step in 0..<Self.saves { try body(step) }
    }
  }

  private func measure(_ twin: TwinWork, _ body: (Int) throws -> Void) throws -> SpeedTable.Run {
    try SpeedRounds.measure(trips: { twin.connection.roundTrips }) {
      for step in 0..<Self.saves { try body(step) }
    }
  }

  private func lengthen(
    _ schema: String, to length: Int, _ connection: TwinConnection
  ) throws {
    let last = "(SELECT last FROM \(schema)._momkit_history)"
    try connection.execute(
      """
      INSERT INTO \(schema)._momkit_transaction (number) SELECT generate_series(\(last) + 1, \(length));
      INSERT INTO \(schema)._momkit_change (transaction, entity, key, kind, properties)
        SELECT n, 'Person', n % 100 + 1, 1, '{age}' FROM generate_series(\(last) + 1, \(length)) n;
      UPDATE \(schema)._momkit_history SET last = greatest(last, \(length));
      ANALYZE \(schema)._momkit_transaction, \(schema)._momkit_change
      """)
  }
}

extension ObjectWork {
  /// Returns the token after which only the last transaction follows.
  func tokenBeforeLast() throws -> NSPersistentHistoryToken? {
    let context = context()
    let token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
    guard
      let person = try context.fetch(NSFetchRequest<Person>(entityName: "Person")).first
    else { return token }
    person.age += 1
    try context.save()
    return token
  }

  func transactions(after token: NSPersistentHistoryToken?) throws {
    let result = try context().execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
    let transactions =
      (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
    precondition(transactions?.count == 1 && transactions?[0].changes?.count == 1)
  }
}
