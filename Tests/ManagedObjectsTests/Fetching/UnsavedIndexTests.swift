import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Fetches beside many unsaved objects, which are found by an index.
@Suite struct UnsavedIndexTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// `Item {name, aNumber}` ← `Song {text}`, and `Other {name}`.
  private func context() throws -> NSManagedObjectContext {
    let song = SmallModel.entity("Song", [SmallModel.text("text")])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), SmallModel.number("aNumber")])
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
    }
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
    let needed = try #require(UnsavedIndex.Needed(predicate.tree, layout))
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
