import Foundation
import MomKit
import SharedModel
import Testing

@testable import SharingClient

/// Three apps change objects at random and synchronize through two servers before one database, in random order.
/// Connections are cut, processes killed, servers restarted. At the end, everyone has the same.
///
/// `SHARING_SEEDS` is the number of runs (2), `SHARING_FROM` the first one's seed (1), and `SHARING_STEPS` the number
/// of steps of each (80).
@Suite(.enabled(if: TestDatabase.isThere), .serialized) struct RandomSyncTests {
  private static func number(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
  }

  private static let seeds = (0..<number("SHARING_SEEDS", 2)).map { number("SHARING_FROM", 1) + $0 }

  @Test(arguments: seeds) func everyoneHasTheSameAtTheEnd(seed: Int) async throws {
    var random = SeededRandom(seed: UInt64(seed))
    let database = try TestDatabase.url()
    let servers = [try ServerProcess(database), try ServerProcess(database)]
    let proxies = try servers.map { server in
      try #require(
        CuttingProxy(to: server.url) {
          [.forwarded, .forwarded, .forwarded, .cutBefore, .cutAfter].randomElement() ?? .forwarded
        })
    }
    let clients = try (0..<3).map { _ in try TestClient() }
    var edits = RandomEdits()
    var synced = (succeeded: 0, failed: 0)
    for _ in 0..<Self.number("SHARING_STEPS", 80) {
      let client = clients[Int.random(in: 0..<clients.count, using: &random)]
      let place = Int.random(in: 0..<servers.count, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<60: try edits.edit(client, &random)
      case 60..<95:
        let url = Bool.random(using: &random) ? servers[place].url : proxies[place].url
        // The app may save while its store is synchronized.
        async let outcome = Self.isSynced(client.url, url)
        if Int.random(in: 0..<3, using: &random) == 0 { try edits.edit(client, &random) }
        if try await outcome { synced.succeeded += 1 } else { synced.failed += 1 }
      case 95..<98:
        try client.syncAndKill(
          servers[place].url, after: UInt32.random(in: 20_000...200_000, using: &random))
      default: try servers[place].killAndRestart()
      }
    }
    for _ in 0..<2 {
      for client in clients {
        try await client.sync(servers[Int.random(in: 0..<servers.count, using: &random)].url)
      }
    }
    let objects = try TestClient.objects(in: database)
    for (number, client) in clients.enumerated() {
      let mine = try client.objects()
      let ids = Set(objects.keys).union(mine.keys)
      for id in ids where mine[id] != objects[id] {
        Issue.record(
          "seed \(seed), client \(number): \(mine[id] as Any) instead of \(objects[id] as Any)"
        )
      }
      let progress = try client.progress()
      #expect(progress.pending == nil && progress.incomplete.isEmpty)
    }
    #expect(Set(objects.keys) == edits.inserted.subtracting(edits.deleted), "seed \(seed)")
    for (id, object) in objects {
      for (name, value) in object.values {
        #expect(
          edits.written[id]?[name]?.contains(value) ?? true, "seed \(seed): \(id) \(name) \(value)")
      }
    }
    #expect(synced.succeeded > 0 && synced.failed > 0, "seed \(seed): \(synced)")
  }

  /// Whether a store was synchronized; otherwise, the connection or the server was interrupted.
  private static func isSynced(_ store: URL, _ server: URL) async throws -> Bool {
    do {
      _ = try await Synchronizer(storeURL: store, server: server, secret: ServerProcess.secret)
        .sync()
      return true
    } catch is URLError {
      return false
    } catch SyncError.busy {
      return false
    }
  }
}
