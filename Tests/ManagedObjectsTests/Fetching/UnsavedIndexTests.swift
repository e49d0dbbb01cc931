import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Fetches beside many unsaved objects, which are found by an index.
@Suite struct UnsavedIndexTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// `Item {name, aNumber, code}` ← `Song {text}`, and `Other {name}`.
  private func context() throws -> NSManagedObjectContext {
    let song = SmallModel.entity("Song", [SmallModel.text("text")])
    let item = SmallModel.entity(
      "Item",
      [
        SmallModel.text("name"), SmallModel.number("aNumber"),
        attribute("code", .UUIDAttributeType),
      ])
    item.subentities = [song]
    let other = SmallModel.entity("Other", [SmallModel.text("name")])
    let context = SmallModel.context(
      try SmallModel.coordinator(
        SmallModel.model(item, song, other), folder.file("a.sqlite")))
    context.undoManager = UndoManager()
    context.undoManager?.groupsByEvent = false
    return context
  }

  private static let names = ["a", "b", "c", "e\u{301}", "\u{e9}", nil]
  private static let codes = (0..<3).map { _ in UUID() }

  /// Whatever happens between them, fetches by value return what a visit to each object finds.
  @Test(arguments: Trials.seeds(40))
  func lookupsFindWhatAVisitFinds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let context = try context()
    var objects: [NSManagedObject] = []
    func any() -> NSManagedObject? {
      objects.removeAll { $0.managedObjectContext == nil }
      return objects.randomElement(using: &random)
    }
    for step in 0..<150 {
      let name = Self.names.randomElement(using: &random) ?? nil
      let number = Int.random(in: 0..<4, using: &random)
      switch Int.random(in: 0..<24, using: &random) {
      case 0..<7:
        let entity = ["Item", "Song", "Other"].randomElement(using: &random) ?? "Item"
        objects.append(SmallModel.new(entity, name.map { ["name": $0] } ?? [:], in: context))
      case 7..<11: any()?.setValue(name, forKey: "name")
      case 11:
        // What isn't unsaved is found by its row, whatever its primitive values are.
        if let object = any(), object.hasChanges { object.setPrimitiveValue(name, forKey: "name") }
      case 12, 13:
        if let object = any(), object.entity.name != "Other" { object["aNumber"] = number }
      case 14: any().map(context.delete)
      case 15: context.undo()
      case 16: context.redo()
      case 17: if let object = any() { context.refresh(object, mergeChanges: step % 2 == 0) }
      case 18: context.processPendingChanges()
      case 19: if step % 3 == 0 { context.rollback() }
      case 20: if step % 3 == 0 { try context.save() }
      case 21, 22:
        if let object = any(), object.entity.name != "Other" {
          let code = step % 5 == 0 ? nil : Self.codes.randomElement(using: &random)
          object["code"] = code
        }
      default: break
      }
      try compare(context, name, number, step)
    }
  }

  private func compare(
    _ context: NSManagedObjectContext, _ name: String?, _ number: Int, _ step: Int
  ) throws {
    func isNamed(_ object: NSManagedObject) -> Bool {
      (object["name"] as? String).map { Array($0.utf8) == Array((name ?? "a").utf8) } ?? false
    }
    func isNumbered(_ object: NSManagedObject) -> Bool {
      object["aNumber"] as? Int == number && object["name"] != nil
    }
    for entity in ["Item", "Song", "Other"] {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      let all = try context.fetch(request)
      request.predicate = NSPredicate(format: "name == %@", name ?? "a")
      #expect(
        Set(try context.fetch(request)) == Set(all.filter(isNamed)), "step \(step): \(entity)")
      guard entity != "Other" else { continue }
      request.predicate = NSPredicate(format: "aNumber == %d AND name != %@", number, "zz")
      let found = try context.fetch(request)
      #expect(
        Set(found) == Set(all.filter(isNumbered)) && found.count == Set(found).count,
        "step \(step): \(entity), \(number)")
      // Not the first member of the conjunction, and one of a list.
      request.predicate = NSPredicate(format: "name != %@ AND aNumber == %d", "zz", number)
      #expect(Set(try context.fetch(request)) == Set(found), "step \(step): second")
      request.predicate = NSPredicate(
        format: "name != %@ AND aNumber IN %@", "zz", [number, number + 1, 9])
      let listed = all.filter {
        isNumbered($0) || $0["aNumber"] as? Int == number + 1 && $0["name"] != nil
      }
      #expect(Set(try context.fetch(request)) == Set(listed), "step \(step): list")
      request.predicate = NSPredicate(format: "name IN %@", [name ?? "a", "zz"])
      #expect(Set(try context.fetch(request)) == Set(all.filter(isNamed)), "step \(step): names")
      let code = Self.codes[step % 3]
      let coded = all.filter { $0["code"] as? UUID == code }
      request.predicate = NSPredicate(format: "code == %@", argumentArray: [code])
      #expect(Set(try context.fetch(request)) == Set(coded), "step \(step): code")
      request.predicate = NSPredicate(
        format: "aNumber == %d AND code == %@", argumentArray: [number, code])
      let both = coded.filter { $0["aNumber"] as? Int == number }
      #expect(Set(try context.fetch(request)) == Set(both), "step \(step): number and code")
    }
  }

  /// Items by number and code, each inside an owner.
  private func ownedItems(_ codes: [UUID]) throws -> (
    context: NSManagedObjectContext, owners: [NSManagedObject], items: [NSManagedObject]
  ) {
    let (owner, members) = (
      SmallModel.relationship("owner"), SmallModel.relationship("items", many: true)
    )
    let item = SmallModel.entity(
      "Item",
      [
        SmallModel.text("name"), SmallModel.number("aNumber"),
        attribute("code", .UUIDAttributeType), owner,
      ])
    let other = SmallModel.entity("Other", [SmallModel.text("name"), members])
    SmallModel.link((owner, of: item), (members, of: other))
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(item, other), folder.file("owned.sqlite")))
    let owners = (0..<3).map { SmallModel.new("Other", ["name": "o\($0)"], in: context) }
    let items = codes.indices.map { index in
      let item = SmallModel.new("Item", ["name": "n\(index % 4)"], in: context)
      if index % 5 != 0 { item["aNumber"] = index % 2 }
      if index % 7 != 0 { item["code"] = codes[index] }
      if index % 11 != 0 { item["owner"] = owners[index % 3] }
      return item
    }
    return (context, owners, items)
  }

  /// Objects are found by the value that the fewest have, behind others that many have.
  @Test func theMostSelectiveValueIsLookedUp() throws {
    let codes = (0..<90).map { _ in UUID() }
    let (context, owners, items) = try ownedItems(codes)
    let layout = try #require(items.first?.layout)
    let cases: [(format: String, arguments: [Any])] = [
      ("code == %@", [codes[8]]), ("code == %@", [UUID()]),
      ("owner == %@ AND code == %@", [owners[2], codes[8]]),
      ("owner == %@ AND code == %@", [owners[1], codes[8]]),
      ("owner != nil AND code == %@", [codes[8]]), ("owner == nil AND code == %@", [codes[11]]),
      ("aNumber == 0 AND code == %@", [codes[8]]), ("code == %@ AND aNumber == 0", [codes[9]]),
      ("aNumber IN {0, 5} AND name != 'q' AND code IN %@", [[codes[8], codes[9], UUID()]]),
      ("code != %@ AND code == %@", [codes[1], codes[8]]),
      ("(aNumber == 0 AND owner == %@) AND (name != nil AND code == %@)", [owners[2], codes[8]]),
    ]
    func check(_ round: String) throws {
      for (format, arguments) in cases {
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = predicate
        let condition = FetchCondition(predicate, of: layout, .sqliteStore)
        let expected = try items.filter { try condition.isSatisfied(by: $0) }
        let found = try context.fetch(request)
        #expect(
          Set(found) == Set(expected) && found.count == expected.count, "\(round): \(format)")
        let index = try #require(context.unsaved.index)
        let candidates = index.fewestCandidates(condition.needs, of: layout, in: context)
        #expect(candidates.count <= 8, "\(round): \(format)")
      }
    }
    try check("inserted")
    items[8]["code"] = codes[9]
    items[9]["code"] = codes[8]
    try check("exchanged")
    try context.save()
    for item in items { item["name"] = "m" }
    items[8]["code"] = codes[8]
    items[9]["code"] = nil
    try check("updated")
  }

  /// A member of a conjunction that may fail is evaluated before those after it.
  @Test func valuesBehindWhatMayFailAreNotLookedUp() throws {
    let (context, owners, items) = try ownedItems([UUID(), UUID()])
    let layout = try #require(items.first?.layout)
    func slots(_ format: String, _ arguments: Any...) -> Int {
      let predicate = NSPredicate(format: format, argumentArray: arguments)
      return UnsavedIndex.Needed.all(of: predicate.tree, layout).count
    }
    #expect(slots("name MATCHES '[' AND code == %@", UUID()) == 0)
    #expect(slots("aNumber == 0 AND name MATCHES '[' AND code == %@", UUID()) == 1)
    #expect(slots("(aNumber == 0 AND name MATCHES '[') AND code == %@", UUID()) == 1)
    #expect(slots("aNumber < 'x' AND code == %@", UUID()) == 0)
    #expect(slots("owner.name == 'x' AND code == %@", UUID()) == 0)
    #expect(slots("owner == %@ AND aNumber == 0 AND code == %@", owners[0], UUID()) == 2)
    #expect(slots("aNumber == 0 OR code == %@", UUID()) == 0)
    #expect(context.hasChanges)
  }

  /// Objects without a value aren't candidates for a lookup, until they have one.
  @Test func objectsWithoutAValueAreNoCandidates() throws {
    let context = try context()
    let items = (0..<50).map { SmallModel.new("Item", ["aNumber": $0], in: context) }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.predicate = NSPredicate(format: "name == 'x'")
    #expect(try context.fetch(request).isEmpty)
    let layout = try #require(items.first?.layout)
    let predicate = try #require(request.predicate)
    let needed = try #require(UnsavedIndex.Needed.all(of: predicate.tree, layout).first)
    let index = try #require(context.unsaved.index)
    #expect(index.candidates(needed, of: layout, in: context).isEmpty)
    items[7]["name"] = "x"
    #expect(index.candidates(needed, of: layout, in: context) == [items[7]])
    #expect(try context.fetch(request) == [items[7]])
    items[7]["name"] = nil
    #expect(try context.fetch(request).isEmpty)
  }

  /// Deletions of other entities are told from those of the one that is fetched, also when they are taken back.
  @Test func deletionsAreKnownByEntity() throws {
    let context = try context()
    let objects = ["Other", "Item", "Song"].map { entity in
      (0..<3).map { _ in SmallModel.new(entity, in: context) }
    }
    try context.save()
    context.undoManager?.removeAllActions()
    func places() throws -> [Int?] {
      try objects.map { group in
        let layout = try #require(group.first?.layout)
        return context.firstDeleted { $0 === layout }
      }
    }
    func counts() throws -> [Int] {
      try ["Other", "Item", "Song"].map {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: $0)).count
      }
    }
    #expect(try places() == [nil, nil, nil])
    context.delete(objects[0][0])
    context.delete(objects[0][1])
    #expect(try places() == [0, nil, nil])
    #expect(try counts() == [1, 6, 3])
    context.delete(objects[2][0])
    #expect(try places() == [0, nil, 2])
    #expect(try counts() == [1, 5, 2])
    context.rollback()
    #expect(try places() == [nil, nil, nil])
    #expect(try counts() == [3, 6, 3])
    context.delete(objects[1][0])
    #expect(try places() == [nil, 0, nil])
    #expect(try counts() == [3, 5, 3])
  }

  /// New objects are found in the order in which they were inserted, also when they have changed in another.
  @Test func newObjectsComeInOrder() throws {
    let context = try context()
    let items = (0..<50).map { SmallModel.new("Item", ["name": "x", "aNumber": $0], in: context) }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.predicate = NSPredicate(format: "name == 'x'")
    #expect(try context.fetch(request) == items)
    for place in [30, 2, 17] { items[place]["name"] = "y" }
    #expect(try context.fetch(request).count == 47)
    for place in [17, 30, 2] { items[place]["name"] = "x" }
    #expect(try context.fetch(request) == items)
    // The same objects again and again.
    for round in 0..<200 {
      items[round % 3]["name"] = "y"
      #expect(try context.fetch(request).count == 49)
      items[round % 3]["name"] = "x"
    }
    #expect(try context.fetch(request) == items)
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Other")) == 0)
  }
}
