import Foundation
import MomKit
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores that another process writes meanwhile, with a rollback journal: each read shows one transaction's values.
@Suite struct StoreInUseTests {
  @Test(arguments: ["delete", "persist", "truncate"])
  func readsMeetNoHalfOfATransaction(journal: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Things.sqlite")
    let rows = 400
    let writer = Writer(try makeStore(at: url, rows: rows, journal: journal))
    writer.start()
    defer { writer.stop() }
    for _ in 0..<8 {
      let run = try Tool.run(
        "store", "fetch", url.path, "Thing", "--columns", "i", "--format", "csv")
      #expect(run.status == 0, "\(run.errors)")
      let values = run.text.split(separator: "\r\n").dropFirst().map {
        $0.split(separator: ",").last
      }
      #expect(values.count == rows)
      #expect(Set(values).count == 1)
    }
  }

  /// Sets one value in all rows again and again, on a thread of its own.
  private final class Writer: @unchecked Sendable {
    // Sendable: only the thread uses the connection once it has started.
    private let connection: SQLiteConnection
    private let isStopping = Atomic(false)
    private let hasStopped = DispatchSemaphore(value: 0)

    init(_ connection: SQLiteConnection) { self.connection = connection }

    func start() {
      Thread {
        var number = 0
        while !self.isStopping.load(ordering: .relaxed) {
          number += 1
          try? self.connection.execute("BEGIN IMMEDIATE; UPDATE ZTHING SET ZI = \(number); COMMIT")
          // A writer without pause would keep readers waiting.
          usleep(5000)
        }
        self.hasStopped.signal()
      }.start()
    }

    func stop() {
      isStopping.store(true, ordering: .relaxed)
      hasStopped.wait()
    }
  }

  /// A store whose rows are larger than the writer's cache, so that it writes to the file before it commits.
  private func makeStore(at url: URL, rows: Int, journal: String) throws -> SQLiteConnection {
    let thing = NSEntityDescription()
    thing.name = "Thing"
    thing.properties = [("i", NSAttributeType.integer64AttributeType), ("s", .stringAttributeType)]
      .map { name, type in
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType) = (name, type)
        return attribute
      }
    let model = NSManagedObjectModel()
    model.entities = [thing]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      for _ in 0..<rows {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        object.setValue(0, forKey: "i")
        object.setValue(String(repeating: "x", count: 3000), forKey: "s")
      }
      try context.save()
    }
    try coordinator.remove(store)
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.execute(
      "PRAGMA journal_mode=\(journal); PRAGMA synchronous=off; PRAGMA cache_size=20")
    return connection
  }
}
