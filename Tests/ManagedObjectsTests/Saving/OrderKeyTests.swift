import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// The positions in an ordered relationship that a save writes: a move costs one row, not one row per member.
@Suite struct OrderKeyTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let file: URL

  /// - Parameter many: whether the members can have several owners, so that the positions are in a join table.
  private init(many: Bool = false) throws {
    folder = try TemporaryFolder()
    file = folder.file("a.sqlite")
    let items = SmallModel.relationship("items", many: true, ordered: true)
    let owner = SmallModel.relationship("owner", many: many)
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: list), (owner, of: item))
    coordinator = try SmallModel.coordinator(SmallModel.model(list, item), file)
  }

  init() throws { try self.init(many: false) }

  private func fill(_ count: Int, _ context: NSManagedObjectContext) throws -> NSManagedObject {
    let list = SmallModel.new("List", in: context)
    let items = (0..<count).map { SmallModel.new("Item", ["name": "\($0)"], in: context) }
    list["items"] = NSOrderedSet(array: items)
    try context.save()
    return list
  }

  /// The members' names with their positions and versions, in order.
  private func rows() throws -> [(name: String, position: Int64, version: Int64)] {
    try SQLiteConnection.reading(file).withStatement(
      "SELECT ZNAME, Z_FOK_OWNER, Z_OPT FROM ZITEM ORDER BY Z_FOK_OWNER"
    ) { row in
      var rows: [(String, Int64, Int64)] = []
      while try row.step() {
        rows.append((row.text(at: 0) ?? "", row.integer(at: 1), row.integer(at: 2)))
      }
      return rows
    }
  }

  @Test func aMoveWritesOneRow() throws {
    let context = SmallModel.context(coordinator)
    let list = try fill(200, context)
    let items = list.mutableOrderedSetValue(forKey: "items")
    let positions = Dictionary(uniqueKeysWithValues: try rows().map { ($0.name, $0.position) })
    items.moveObjects(at: IndexSet(integer: 0), to: 199)
    try context.save()
    let rows = try rows()
    #expect(rows.filter { $0.position != positions[$0.name] }.map(\.name) == ["0"])
    #expect(rows.last?.name == "0")
    #expect(rows.last?.position == Int64(2048 + 200 * 1024))
    items.moveObjects(at: IndexSet(integer: 199), to: 0)
    try context.save()
    #expect(try self.rows().map(\.name) == (0..<200).map(String.init))
    #expect(
      try self.rows().filter { $0.name != "0" && $0.position != positions[$0.name] }.isEmpty)
    #expect(try self.rows().allSatisfy { $0.version == 1 })
  }

  /// A save of what was added at the end takes no time that grows with the members before it: it doesn't name them.
  @Test(arguments: [false, true]) func additionsAtTheEndNameNoOtherMembers(many: Bool) throws {
    let trial = try OrderKeyTests(many: many)
    let context = SmallModel.context(trial.coordinator)
    let list = try trial.fill(5, context)
    let items = list.mutableOrderedSetValue(forKey: "items")
    func order() throws -> [NSManagedObjectID]? {
      let changes = StoreChanges(
        ChangedObjects(
          inserted: context.inserted, updated: context.updated, deleted: [], context: context)
      ).members
      return try #require(changes.first { $0.property.name == "items" }).order
    }
    items.add(SmallModel.new("Item", ["name": "5"], in: context))
    #expect(try order() == nil)
    try context.save()
    items.add(SmallModel.new("Item", ["name": "6"], in: context))
    items.insert(SmallModel.new("Item", ["name": "first"], in: context), at: 0)
    #expect(try order()?.count == 8)
    try context.save()
    context.reset()
    let read = try SmallModel.all("List", context).map { SmallModel.names($0, "items") }
    #expect(read == [["first", "0", "1", "2", "3", "4", "5", "6"]])
    #expect(try StoreCheck.findings(at: trial.file) == [])
  }

  /// What others have added meanwhile stays before what is added here.
  @Test func additionsOfTwoContextsFollowEachOther() throws {
    let (context, other) = (
      SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType),
      SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    )
    let list = try fill(2, context)
    let items = list.mutableOrderedSetValue(forKey: "items")
    #expect(items.count == 2)
    for round in 0..<3 {
      SmallModel.new("Item", ["name": "theirs \(round)"], in: other)["owner"] =
        other.object(with: list.objectID)
      try other.save()
      items.add(SmallModel.new("Item", ["name": "ours \(round)"], in: context))
      try context.save()
    }
    #expect(
      try rows().map(\.name) == [
        "0", "1", "theirs 0", "ours 0", "theirs 1", "ours 1", "theirs 2", "ours 2",
      ])
    #expect(Set(try rows().map(\.position)).count == 8)
    #expect(try rows().allSatisfy { $0.version == 1 })
  }

  /// A file may have the largest number there is as a position.
  @Test(arguments: [false, true]) func thereIsRoomAfterTheLargestPosition(isLoaded: Bool) throws {
    let context = SmallModel.context(coordinator)
    let list = try fill(3, context)
    context.refreshAllObjects()
    try SQLiteConnection(writing: file, creation: .existing, timeout: 5).execute(
      "UPDATE ZITEM SET Z_FOK_OWNER = \(Int64.max) WHERE ZNAME = '2'")
    if isLoaded { #expect((list["items"] as? NSOrderedSet)?.count == 3) }
    SmallModel.new("Item", ["name": "3"], in: context)["owner"] = list
    try context.save()
    #expect(try rows().map(\.name) == ["0", "1", "2", "3"])
    #expect(try rows().allSatisfy { $0.position > 0 })
    context.reset()
    #expect(
      try SmallModel.all("List", context).map { SmallModel.names($0, "items") } == [
        ["0", "1", "2", "3"]
      ])
  }

  @Test func whatIsPutBetweenTwoGetsAPositionBetweenTheirs() throws {
    let context = SmallModel.context(coordinator)
    let list = try fill(3, context)
    let items = list.mutableOrderedSetValue(forKey: "items")
    items.insert(SmallModel.new("Item", ["name": "new"], in: context), at: 1)
    items.insert(SmallModel.new("Item", ["name": "first"], in: context), at: 0)
    try context.save()
    #expect(try rows().map(\.position) == [1024, 2048, 2560, 3072, 4096])
    #expect(try rows().map(\.name) == ["first", "0", "new", "1", "2"])
  }

  /// Each insertion halves the gap between two positions, until others make room.
  @Test func thereIsAlwaysRoom() throws {
    let context = SmallModel.context(coordinator)
    let list = try fill(6, context)
    let items = list.mutableOrderedSetValue(forKey: "items")
    for number in 0..<60 {
      items.insert(SmallModel.new("Item", ["name": "n\(number)"], in: context), at: 3)
      try context.save()
    }
    #expect(
      try rows().map(\.name) == ["0", "1", "2"] + (0..<60).reversed().map { "n\($0)" } + [
        "3", "4", "5",
      ])
    #expect(Set(try rows().map(\.position)).count == 66)
    #expect(try StoreCheck.findings(at: file) == [])
  }

  /// An object from another list doesn't keep its position there.
  @Test func whatComesFromElsewhereGetsAPlace() throws {
    let context = SmallModel.context(coordinator)
    let (one, other) = (try fill(3, context), try fill(3, context))
    let moved = try #require((other["items"] as? NSOrderedSet)?.object(at: 2) as? NSManagedObject)
    one.mutableOrderedSetValue(forKey: "items").insert(moved, at: 0)
    try context.save()
    context.reset()
    let read = try SmallModel.all("List", context).map { SmallModel.names($0, "items") }
    #expect(read == [["2", "0", "1", "2"], ["0", "1"]])
    #expect(try StoreCheck.findings(at: file) == [])
  }

  /// What is added here was added and removed by another context in the meantime: its row leads nowhere.
  @Test func whatLeadsNowhereGetsNoPlace() throws {
    let context = SmallModel.context(coordinator)
    let list = try fill(1, context)
    let item = SmallModel.new("Item", ["name": "new"], in: context)
    try context.save()
    // The members are read no more.
    context.refreshAllObjects()
    context.automaticallyMergesChangesFromParent = true
    item["owner"] = list
    let other = SmallModel.context(coordinator)
    let (theirs, same) = (other.object(with: list.objectID), other.object(with: item.objectID))
    theirs.mutableOrderedSetValue(forKey: "items").add(same)
    try other.save()
    theirs.mutableOrderedSetValue(forKey: "items").remove(same)
    try other.save()
    try context.save()
    #expect(try StoreCheck.findings(at: file) == [])
    let rows = try rows()
    #expect(rows.map(\.name).sorted() == ["0", "new"])
    #expect(rows.first { $0.name == "new" }?.position == 0)
  }

  @Test(arguments: [false, true]) func randomEditsKeepTheOrder(many: Bool) throws {
    let trial = try OrderKeyTests(many: many)
    var random = SeededGenerator(seed: 7)
    let context = SmallModel.context(trial.coordinator)
    let list = try trial.fill(20, context)
    let items = list.mutableOrderedSetValue(forKey: "items")
    for round in 0..<60 {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let (from, to) = (
          Int.random(in: 0..<items.count, using: &random),
          Int.random(in: 0..<items.count, using: &random)
        )
        switch Int.random(in: 0..<6, using: &random) {
        case 0: items.insert(SmallModel.new("Item", ["name": "r\(round)"], in: context), at: to)
        case 1 where items.count > 5: items.removeObject(at: from)
        case 2: items.exchangeObject(at: from, withObjectAt: to)
        case 3:
          let reversed = (items.array as? [NSManagedObject] ?? []).reversed()
          list["items"] = NSOrderedSet(array: Array(reversed))
        default: items.moveObjects(at: IndexSet(integer: from), to: to)
        }
      }
      let names = SmallModel.names(list, "items")
      try context.save()
      let reader = SmallModel.context(trial.coordinator)
      let read = try SmallModel.all("List", reader).first
      #expect(SmallModel.names(read, "items") == names, "\(round)")
    }
    #expect(try StoreCheck.findings(at: trial.file) == [])
  }

  @Test func positionsOfOthersAreLeftAlone() {
    // The middle position is already taken by one of the others.
    let between = OrderPositions([2048, nil, 3072], others: [2560]).changes()
    #expect(between.map(\.place) == [1] && between.map(\.position) == [2304])
    #expect(OrderPositions([2048, nil], others: [9000]).changes().map(\.position) == [10024])
    #expect(OrderPositions([nil, nil], others: []).changes().map(\.position) == [2048, 3072])
    #expect(OrderPositions([5, 6, nil, 7], others: []).changes().isEmpty == false)
    #expect(OrderPositions([.max, nil], others: []).changes().map(\.position) == [2048, 3072])
    #expect(
      OrderPositions([.min, 0, 1], others: []).changes().map(\.position) == [2048, 3072, 4096])
  }

  /// A context that still has a member in its order, which another context has removed, adds it from the other side.
  @Test func aMemberThatComesBackFromTheOtherSideHasAPosition() throws {
    let test = try Self(many: true)
    let context = SmallModel.context(test.coordinator)
    context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    let list = try test.fill(1, context)
    let item = try #require((list["items"] as? NSOrderedSet)?.firstObject as? NSManagedObject)
    let other = SmallModel.context(test.coordinator)
    let same = try other.existingObject(with: list.objectID)
    same["items"] = NSOrderedSet()
    try other.save()
    // Not read here, so that the context doesn't know that the list is among the owners.
    context.refresh(item, mergeChanges: false)
    item.addObject(list, toRelationshipNamed: "owner")
    try context.save()
    let positions = try SQLiteConnection.reading(test.file).withStatement(
      "SELECT * FROM \(try test.joinTable())"
    ) { row in try row.step() ? (0..<3).map { row.isNull(at: $0) } : [] }
    #expect(positions == [false, false, false])
  }

  private func joinTable() throws -> String {
    try SQLiteConnection.reading(file).withStatement(
      "SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*' AND type = 'table'"
    ) { row in
      _ = try row.step()
      return row.text(at: 0) ?? ""
    }
  }
}
