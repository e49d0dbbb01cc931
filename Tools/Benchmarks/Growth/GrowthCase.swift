import Foundation
import MomKit

/// An operation at several sizes, with the equivalent through SQLite's C API if there is one.
struct GrowthCase {
  /// Whether the operation processes all objects, so that its time may grow in proportion to their number, or a
  /// single one among many, so that it should take constant time.
  enum Kind: String { case whole, each }

  /// The operation's number in the list of findings.
  let number: String
  let work: String
  let kind: Kind
  let sizes: [Int]
  /// Performs the operation with the given number of objects and returns the time it took.
  let objects: (GrowthStore, Int) throws -> Duration
  let raw: ((GrowthStore, Int) throws -> Duration)?

  init(
    _ number: String, _ work: String, _ kind: Kind = .whole, sizes: [Int],
    raw: ((GrowthStore, Int) throws -> Duration)? = nil,
    objects: @escaping (GrowthStore, Int) throws -> Duration
  ) {
    (self.number, self.work, self.kind, self.sizes) = (number, work, kind, sizes)
    (self.objects, self.raw) = (objects, raw)
  }

  static let usual = [1_000, 10_000, 100_000]
  static let small = [500, 2_000, 8_000]

  static var all: [GrowthCase] {
    saving + undoing + relationships + fetching + controllers + batches
  }
}

/// A new store for one measurement.
final class GrowthStore {
  let file: URL
  let folder: URL
  private(set) lazy var coordinator = open()
  private let options: [AnyHashable: Any]

  init(in folder: URL, options: [AnyHashable: Any] = [:]) {
    self.folder = folder
    self.options = options
    file = folder.appendingPathComponent("growth-\(UUID().uuidString).sqlite")
  }

  deinit {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }

  func open(_ options: [AnyHashable: Any]? = nil) -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GrowthModel.shared)
    do {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: file,
        options: options ?? self.options)
    } catch { fatalError("\(error)") }
    return coordinator
  }

  func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Opens the store's file through SQLite's C API.
  func raw() -> RawStore {
    _ = coordinator
    return RawStore(file)
  }

  /// Inserts people without using the library.
  func fillPeople(_ count: Int) {
    let raw = raw()
    let number = raw.number(of: "Person")
    raw.forEach(
      count,
      "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZAGE, ZHEIGHT, ZNAME, ZCITY) VALUES (?, \(number), 1, ?, ?, ?, ?)"
    ) { statement, row in
      statement.bind(row + 1, 1)
      statement.bind(row % 90, 2)
      statement.bind(Double(row) * 0.5, 3)
      statement.bind(Self.name(row), 4)
      statement.bind("City \(row % 1_000)", 5)
    }
    raw.setLastKey(count, of: "Person")
  }

  /// Inserts one company with its workers, or one list with its songs.
  func fillMembers(_ count: Int, isOrdered: Bool = false) {
    let raw = raw()
    let (owner, member) = isOrdered ? ("List", "Song") : ("Company", "Worker")
    let (table, members) = ("Z" + owner.uppercased(), "Z" + member.uppercased())
    raw.execute(
      "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, \(raw.number(of: owner)), 1, 'One')"
    )
    raw.setLastKey(1, of: owner)
    let position = isOrdered ? ", Z_FOK_LIST" : ""
    raw.forEach(
      count,
      "INSERT INTO \(members) (Z_PK, Z_ENT, Z_OPT, ZNAME, \(table)\(position)) VALUES (?, \(raw.number(of: member)), 1, ?, 1\(isOrdered ? ", ?" : ""))"
    ) { statement, row in
      statement.bind(row + 1, 1)
      statement.bind(Self.name(row), 2)
      if isOrdered { statement.bind((row + 1) * 1_024, 3) }
    }
    raw.setLastKey(count, of: member)
  }

  static func name(_ row: Int) -> String { "Name \(row &* 7_919 % 1_000_003)" }
}

func timed(_ body: () throws -> Void) rethrows -> Duration { try ContinuousClock().measure(body) }

/// Measures `count` operations and returns the average time of one.
func timed(each count: Int, _ body: (Int) throws -> Void) rethrows -> Duration {
  try timed { for index in 0..<count { try body(index) } } / count
}

/// Prevents the optimizer from eliminating work.
@inline(never) func use(_ count: Int) { precondition(count >= 0) }

extension NSManagedObjectContext {
  func people(_ change: (NSFetchRequest<Person>) -> Void = { _ in }) throws -> [Person] {
    let request = NSFetchRequest<Person>(entityName: "Person")
    change(request)
    return try fetch(request)
  }

  func only(_ entity: String) throws -> NSManagedObject {
    try fetch(NSFetchRequest<NSManagedObject>(entityName: entity))[0]
  }

  func make(_ entity: String) -> NSManagedObject {
    NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
  }
}
