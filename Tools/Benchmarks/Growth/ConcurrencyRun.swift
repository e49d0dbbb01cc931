import Foundation
import MomKit
import Synchronization

/// Measures threads that read one store concurrently, each with its own context, compared with the same number of
/// connections through SQLite's C API; and a writer alongside readers.
struct ConcurrencyRun: @unchecked Sendable {
  // Sendable: immutable.
  private static let rows = 100_000
  private static let lookups = 20_000
  private let store: GrowthStore
  private let coordinator: NSPersistentStoreCoordinator
  private let identities: [NSManagedObjectID]

  struct Line: Encodable {
    let work: String
    let way: String
    /// The time with 1, 2 and 4 threads, in milliseconds.
    let milliseconds: [Double]
    /// The throughput with 2 and 4 threads, as a multiple of that with one.
    let throughput: [Double]
  }

  init(in folder: URL) throws {
    store = GrowthStore(in: folder)
    store.fillPeople(Self.rows)
    coordinator = store.open()
    let uuid = coordinator.persistentStores[0].identifier ?? ""
    let coordinator = coordinator
    identities = (0..<Self.lookups).compactMap { step in
      URL(string: "x-coredata://\(uuid)/Person/p\(step &* 7_919 % Self.rows + 1)")
        .flatMap { coordinator.managedObjectID(forURIRepresentation: $0) }
    }
  }

  static func run(in folder: URL, rounds: Int, isJSON: Bool) throws {
    let run = try ConcurrencyRun(in: folder)
    let lines = run.readers(rounds: rounds)
    if isJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      print(String(decoding: try encoder.encode(lines), as: UTF8.self))
      return
    }
    print("work              way                1, 2, 4 threads, ms       throughput × 2, × 4")
    for line in lines {
      print(
        line.work.padding(toLength: 18, withPad: " ", startingAt: 0)
          + line.way.padding(toLength: 18, withPad: " ", startingAt: 0)
          + line.milliseconds.map { String(format: "%8.1f", $0) }.joined()
          + "    " + line.throughput.map { String(format: "%6.2f", $0) }.joined())
    }
    run.writers(rounds: rounds)
  }

  // MARK: Readers

  private func readers(rounds: Int) -> [Line] {
    let own = (0..<4).map { _ in store.open() }
    let works:
      [(String, @Sendable (NSPersistentStoreCoordinator) -> Void, @Sendable (RawStore) -> Void)] = [
        ("fetch all", fetchAll, rawAll), ("20,000 by key", byKey, rawByKey),
        ("1,000 by index", byIndex, rawByIndex), ("20,000 faults", faults, rawByKey),
      ]
    let raws = (0..<4).map { _ in Shared(RawStore(store.file)) }
    var times: [String: [Int: [Double]]] = [:]
    let shared = coordinator
    for _ in 0..<max(rounds, 3) {
      for (name, objects, raw) in works {
        for count in [1, 2, 4] {
          func note(_ way: String, _ body: @escaping @Sendable (Int) -> Void) {
            times["\(name)/\(way)", default: [:]][count, default: []].append(
              Self.threads(count, body))
          }
          note("raw") { raw(raws[$0].value) }
          note("one coordinator") { _ in objects(shared) }
          note("own coordinators") { objects(own[$0]) }
        }
      }
    }
    return works.flatMap { name, _, _ in
      ["raw", "one coordinator", "own coordinators"].map { way in
        let found = [1, 2, 4].map { Self.median(times["\(name)/\(way)"]?[$0] ?? []) }
        return Line(
          work: name, way: way, milliseconds: found,
          throughput: [2 * found[0] / found[1], 4 * found[0] / found[2]])
      }
    }
  }

  private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func work(
    _ coordinator: NSPersistentStoreCoordinator, _ body: (NSManagedObjectContext) throws -> Int
  ) {
    let context = context(coordinator)
    context.performAndWait {
      do { use(try body(context)) } catch { fatalError("\(error)") }
    }
  }

  @Sendable private func fetchAll(_ coordinator: NSPersistentStoreCoordinator) {
    work(coordinator) { try $0.people().reduce(0) { $0 + $1.name.utf8.count } }
  }

  @Sendable private func byKey(_ coordinator: NSPersistentStoreCoordinator) {
    let uris = coordinator === self.coordinator ? nil : coordinator.persistentStores[0]
    work(coordinator) { context in
      try identities.reduce(0) { sum, id in
        let id =
          uris == nil
          ? id : coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
        guard let id, let person = try context.existingObject(with: id) as? Person else {
          return sum
        }
        return sum + person.name.utf8.count
      }
    }
  }

  @Sendable private func byIndex(_ coordinator: NSPersistentStoreCoordinator) {
    work(coordinator) { context in
      try (0..<1_000).reduce(0) { sum, step in
        try context.people { $0.predicate = NSPredicate(format: "city == %@", "City \(step)") }
          .reduce(sum) { $0 + $1.name.utf8.count }
      }
    }
  }

  @Sendable private func faults(_ coordinator: NSPersistentStoreCoordinator) {
    work(coordinator) { context in
      try context.people {
        $0.includesPropertyValues = false
        $0.fetchLimit = Self.lookups
      }.reduce(0) { $0 + $1.name.utf8.count }
    }
  }

  @Sendable private func rawAll(_ raw: RawStore) {
    var people: [GrowthCase.RawPerson] = []
    raw.rows(GrowthCase.columns) { people.append(GrowthCase.RawPerson($0)) }
    use(people.reduce(0) { $0 + $1.name.utf8.count })
  }

  @Sendable private func rawByKey(_ raw: RawStore) {
    let row = raw.statement("\(GrowthCase.columns) WHERE Z_PK = ?")
    for step in 0..<Self.lookups {
      row.bind(step &* 7_919 % Self.rows + 1, 1)
      while row.step() { use(GrowthCase.RawPerson(row).name.utf8.count) }
      row.reset()
    }
  }

  @Sendable private func rawByIndex(_ raw: RawStore) {
    let row = raw.statement("\(GrowthCase.columns) WHERE ZCITY = ?")
    for step in 0..<1_000 {
      row.bind("City \(step)", 1)
      while row.step() { use(GrowthCase.RawPerson(row).name.utf8.count) }
      row.reset()
    }
  }

  // MARK: A writer

  private func writers(rounds: Int) {
    print("\nwriter of 20 × 500 rows          ms     beside: reads, the longest in ms")
    let shared = coordinator
    let (other, file) = (store.open(), store.file)
    let raw = Shared(RawStore(file))
    let reader = Shared(RawStore(file))
    let (rawAll, fetchAll) = (rawAll, fetchAll)
    let cases: [(String, (@Sendable () -> Void)?, () -> Void)] = [
      ("raw, alone", nil, { Self.write(raw.value) }),
      ("raw, beside all", { rawAll(reader.value) }, { Self.write(raw.value) }),
      ("objects, alone", nil, { write(shared) }),
      ("one coordinator, beside all", { fetchAll(shared) }, { write(shared) }),
      ("own coordinators, beside all", { fetchAll(other) }, { write(shared) }),
    ]
    for (name, read, write) in cases {
      var times: [Double] = []
      var reads: [Double] = []
      for _ in 0..<max(rounds, 3) {
        let isOver = Atomic<Bool>(false)
        let taken = Mutex<[Double]>([])
        let group = DispatchGroup()
        if let read {
          group.enter()
          let thread = Thread {
            repeat {
              let time = timed(read) / .milliseconds(1)
              taken.withLock { $0.append(time) }
            } while !isOver.load(ordering: .acquiring)
            group.leave()
          }
          thread.stackSize = 8 << 20
          thread.start()
          Thread.sleep(forTimeInterval: 0.05)
        }
        times.append(timed(write) / .milliseconds(1))
        isOver.store(true, ordering: .releasing)
        group.wait()
        reads += taken.withLock { $0 }
        raw.value.execute(
          "DELETE FROM ZPERSON WHERE ZCITY = 'none'; PRAGMA wal_checkpoint(TRUNCATE)")
      }
      print(
        name.padding(toLength: 30, withPad: " ", startingAt: 0)
          + String(format: "%8.1f", Self.median(times))
          + (reads.isEmpty
            ? "" : String(format: "     %d, %.1f", reads.count, reads.max() ?? 0)))
    }
  }

  private func write(_ coordinator: NSPersistentStoreCoordinator) {
    work(coordinator) { context in
      for batch in 0..<20 {
        for row in 0..<500 {
          let person = Person(context: context)
          person.name = "W \(batch) \(row)"
          person.city = "none"
          person.age = 1
        }
        try context.save()
      }
      return 0
    }
  }

  private static func write(_ raw: RawStore) {
    for batch in 0..<20 {
      raw.forEach(
        500, "INSERT INTO ZPERSON (Z_ENT, Z_OPT, ZAGE, ZNAME, ZCITY) VALUES (1, 1, 1, ?, 'none')"
      ) { $0.bind("W \(batch) \($1)", 1) }
    }
  }

  // MARK: Threads

  /// Sendable: a connection is used by one thread at a time.
  private struct Shared: @unchecked Sendable {
    let value: RawStore
    init(_ value: RawStore) { self.value = value }
  }

  private static func threads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Double {
    timed {
      let group = DispatchGroup()
      for number in 0..<count {
        group.enter()
        let thread = Thread {
          body(number)
          group.leave()
        }
        thread.stackSize = 8 << 20
        thread.start()
      }
      group.wait()
    } / .milliseconds(1)
  }

  static func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }
}
