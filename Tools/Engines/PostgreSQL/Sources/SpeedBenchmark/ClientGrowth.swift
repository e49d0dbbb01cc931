import Foundation
import MomKit
import MomKitPostgreSQL
import Synchronization

/// How the cost of small transactions grows with the number of clients.
///
/// Each client has a thread, a coordinator and contexts of its own, and repeatedly fetches one of its own people by key,
/// adds a year, and saves.
struct ClientGrowth {
  private static let counts = [1, 2, 4, 8, 16, 32, 64]
  /// The number of transactions of all clients together.
  private static let transactions = 1920
  private static let people = 100

  let server: String
  let rounds: Int

  func run() throws -> [SpeedTable.Line] {
    try Self.counts.flatMap { clients in
      var table = SpeedTable(rows: clients)
      for round in 0..<rounds {
        let schemas = ["objects\(clients)x\(round)", "twin\(clients)x\(round)"]
        let twin = try runTwins(clients, schemas[1])
        table.add(
          "transactions", objects: try runObjects(clients, schemas[0]), twin: twin)
        let connection = try TwinConnection(url: server, schema: schemas[1])
        for schema in schemas { try connection.execute("DROP SCHEMA \(schema) CASCADE") }
      }
      return table.lines
    }
  }

  private func runObjects(_ clients: Int, _ schema: String) throws -> SpeedTable.Run {
    let url = try SpeedRounds.url(server, schema)
    let options = [NSPersistentStoreConnectionPoolMaxSizeKey: clients + 1]
    let rows = clients * Self.people
    let stores = try (0..<clients).map { _ in
      try ObjectWork(url: url, rows: rows, options: options)
    }
    _ = try stores[0].insert()
    let all = stores.map { store in store.uris().map { $0.deletingLastPathComponent() } }
    let run = Clients(count: clients, steps: Self.transactions / clients) { client, step in
      let context = stores[client].context()
      let key = client * Self.people + step % Self.people + 1
      let uri = all[client][0].appendingPathComponent("p\(key)")
      guard let coordinator = context.persistentStoreCoordinator,
        let id = coordinator.managedObjectID(forURIRepresentation: uri),
        let person = try context.existingObject(with: id) as? Person
      else { throw TwinConnection.Failure(description: "no person \(key)") }
      person.age += 1
      try context.save()
    }
    let result = try run.measure(roundTrips: 3)
    for store in stores { try store.close() }
    return result
  }

  private func runTwins(_ clients: Int, _ schema: String) throws -> SpeedTable.Run {
    let rows = clients * Self.people
    try ObjectWork(url: SpeedRounds.url(server, schema), rows: rows).close()
    let twins = try (0..<clients).map { _ in
      try TwinWork(url: server, schema: schema, rows: rows)
    }
    _ = try twins[0].insert()
    let run = Clients(count: clients, steps: Self.transactions / clients) { client, step in
      try twins[client].birthday(Int64(client * Self.people + step % Self.people + 1))
    }
    return try run.measure(roundTrips: 2)
  }
}

/// Threads that do the same work at once.
private final class Clients: @unchecked Sendable {
  // Sendable: each thread uses only what belongs to its own number.
  private let count: Int
  private let steps: Int
  private let body: (_ client: Int, _ step: Int) throws -> Void
  private let failure = Mutex<String?>(nil)

  init(count: Int, steps: Int, _ body: @escaping (_ client: Int, _ step: Int) throws -> Void) {
    (self.count, self.steps, self.body) = (count, steps, body)
  }

  func measure(roundTrips: Int) throws -> SpeedTable.Run {
    let group = DispatchGroup()
    let time = ContinuousClock().measure {
      for client in 0..<count {
        group.enter()
        Thread {
          defer { group.leave() }
          do {
            for step in 0..<self.steps { try self.body(client, step) }
          } catch {
            self.failure.withLock { $0 = "\(error)" }
          }
        }.start()
      }
      group.wait()
    }
    if let failure = failure.withLock({ $0 }) {
      throw TwinConnection.Failure(description: failure)
    }
    return SpeedTable.Run(seconds: time / .seconds(1), roundTrips: roundTrips)
  }
}
