import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Members added to lists whose ends are known.
@Suite struct OrderEndsTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let many: Bool

  private init(many: Bool) throws {
    folder = try TemporaryFolder()
    file = folder.file("a.sqlite")
    self.many = many
  }

  init() throws { try self.init(many: false) }

  /// A writer with a connection of its own.
  private func writer() throws -> NSManagedObjectContext {
    let items = SmallModel.relationship("items", many: true, ordered: true)
    let owner = SmallModel.relationship("owner", many: many)
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: list), (owner, of: item))
    return SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(list, item), file),
      .mergeByPropertyObjectTrumpMergePolicyType)
  }

  /// Two connections add and remove members of two lists, which aren't loaded, and some saves fail. What each save adds
  /// stands behind what was there before.
  @Test(arguments: [false, true], 0..<4) func additionsFollowWhatIsThere(
    many: Bool, seed: UInt64
  ) throws {
    let trial = try OrderEndsTests(many: many)
    let writers = [try trial.writer(), try trial.writer()]
    var random = SeededGenerator(seed: seed)
    let first = ["a", "b"].map { SmallModel.new("List", ["name": $0], in: writers[0]) }
    try writers[0].save()
    let links = first.map { $0.objectID.uriRepresentation() }
    var expected: [[String]] = [[], []]
    for round in 0..<80 {
      let place = Int.random(in: 0..<2, using: &random)
      let context = writers[Int.random(in: 0..<2, using: &random)]
      context.reset()
      let coordinator = try #require(context.persistentStoreCoordinator)
      let id = try #require(coordinator.managedObjectID(forURIRepresentation: links[place]))
      let list = context.object(with: id)
      let item = { (name: String) in
        let item = SmallModel.new("Item", ["name": name], in: context)
        if many { item.addObject(list, toRelationshipNamed: "owner") } else { item["owner"] = list }
      }
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where !expected[place].isEmpty:
        let items = list.mutableOrderedSetValue(forKey: "items")
        items.removeObject(at: items.count - 1)
        expected[place].removeLast()
      case 1 where !expected[place].isEmpty:
        let items = list.mutableOrderedSetValue(forKey: "items")
        items.moveObjects(at: IndexSet(integer: 0), to: items.count - 1)
        expected[place].append(expected[place].removeFirst())
      case 2:
        item("lost \(round)")
        _ = SmallModel.new("Item", ["name": String(repeating: "x", count: 1_000)], in: context)
        try SQLiteConnection(writing: trial.file, creation: .existing, timeout: 5).execute(
          "CREATE TRIGGER refuse BEFORE INSERT ON ZITEM WHEN length(NEW.ZNAME) > 900 BEGIN "
            + "SELECT RAISE(ABORT, 'refused'); END")
        #expect(throws: (any Error).self) { try context.save() }
        try SQLiteConnection(writing: trial.file, creation: .existing, timeout: 5).execute(
          "DROP TRIGGER refuse")
        continue
      default:
        let name = "\(round)"
        item(name)
        expected[place].append(name)
      }
      try context.save()
      let reader = writers[Int.random(in: 0..<2, using: &random)]
      reader.reset()
      let names = try SmallModel.all("List", reader).sorted {
        $0["name"] as? String ?? "" < $1["name"] as? String ?? ""
      }.map { SmallModel.names($0, "items") }
      #expect(names == expected, "round \(round)")
    }
    #expect(try StoreCheck.findings(at: trial.file) == [])
  }

  /// The end of a list is read once.
  @Test func anEndIsReadOnce() throws {
    let context = try writer()
    let list = SmallModel.new("List", ["name": "a"], in: context)
    try context.save()
    for name in ["1", "2", "3"] {
      SmallModel.new("Item", ["name": name], in: context)["owner"] = list
      try context.save()
    }
    var ends = OrderEnds()
    let place = OrderEnds.Place(rows: "ZITEM WHERE ZOWNER = ?", order: "Z_FOK_OWNER", owner: 1)
    #expect(ends[place] == nil)
    ends[place] = 4096
    #expect(ends[place] == 4096)
    let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
    let engine = try #require(store.requireEngine() as? SQLiteEngine)
    #expect(engine.orderEnds[place] == 4096)
  }
}
