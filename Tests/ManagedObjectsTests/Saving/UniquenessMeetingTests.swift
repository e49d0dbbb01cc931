import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Uniqueness constraints with entity hierarchies, child contexts, undo, custom merge policies and observers.
@Suite struct UniquenessMeetingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// `Item` (`name` is unique) ← `Song {text}`, `Film {number, more}`; `Fan.item` leads to any of them, `Fan.song` to
  /// songs.
  private func siblings() throws -> NSPersistentStoreCoordinator {
    let song = SmallModel.entity("Song", [SmallModel.text("text")])
    let film = SmallModel.entity(
      "Film", [SmallModel.number("aNumber"), SmallModel.number("more"), SmallModel.number("rest")])
    let fans = SmallModel.relationship("fans", many: true)
    let item = SmallModel.entity(
      "Item", [SmallModel.text("name"), SmallModel.text("note"), fans], unique: [["name"]])
    item.subentities = [song, film]
    let favourite = SmallModel.relationship("item")
    let own = SmallModel.relationship("song")
    own.destinationEntity = song
    let fan = SmallModel.entity("Fan", [SmallModel.text("name"), favourite, own])
    SmallModel.link((fans, of: item), (favourite, of: fan))
    return try SmallModel.coordinator(
      SmallModel.model(item, song, film, fan), folder.file("a.sqlite"))
  }

  @Test func anotherEntitysRowIsReplacedWhereTheObjectTrumps() throws {
    let coordinator = try siblings()
    let first = SmallModel.context(coordinator)
    let song = SmallModel.new("Song", ["name": "x", "text": "la", "note": "kept"], in: first)
    SmallModel.new("Fan", ["name": "1", "item": song, "song": song], in: first)
    try first.save()
    let context = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    let film = SmallModel.new("Film", ["name": "x", "aNumber": 42, "rest": 3], in: context)
    SmallModel.new("Fan", ["name": "2", "item": film], in: context)
    try context.save()
    let reader = SmallModel.context(coordinator)
    let items = try SmallModel.all("Item", reader)
    #expect(items.map(\.entity.name) == ["Film"])
    #expect(items.first?["aNumber"] as? Int == 42)
    #expect(items.first?["note"] as? String == "kept")
    #expect(SmallModel.names(items.first, "fans") == ["1", "2"])
    // A film isn't a song.
    #expect(try SmallModel.all("Fan", reader).allSatisfy { $0["song"] == nil })
  }

  /// A survivor is read again, even if its row hasn't changed: what isn't stored is as in any refreshed object.
  @Test(arguments: [false, true]) func aSurvivorIsAsItsRow(isKnown: Bool) throws {
    let shown = SmallModel.text("shown")
    shown.isTransient = true
    let item = SmallModel.entity("Item", [SmallModel.text("name"), shown], unique: [["name"]])
    let coordinator = try SmallModel.coordinator(SmallModel.model(item), folder.file("b.sqlite"))
    let context = SmallModel.context(coordinator, .rollbackMergePolicyType)
    let old = SmallModel.new("Item", ["name": "x", "shown": "old"], in: context)
    try context.save()
    if !isKnown { context.refresh(old, mergeChanges: false) }
    SmallModel.new("Item", ["name": "x", "shown": "new"], in: context)
    try context.save()
    #expect(old["shown"] == nil)
    #expect(old["name"] as? String == "x")
    #expect(try SmallModel.all("Item", context) == [old])
  }

  @Test func anotherEntitysRowStaysWhereTheStoreTrumps() throws {
    let coordinator = try siblings()
    let first = SmallModel.context(coordinator)
    let song = SmallModel.new("Song", ["name": "x", "text": "la"], in: first)
    try first.save()
    let context = SmallModel.context(coordinator, .mergeByPropertyStoreTrumpMergePolicyType)
    let film = SmallModel.new("Film", ["name": "x", "aNumber": 42], in: context)
    SmallModel.new("Fan", ["name": "2", "item": film], in: context)
    try context.save()
    let reader = SmallModel.context(coordinator)
    let items = try SmallModel.all("Item", reader)
    #expect(items.map(\.objectID) == [song.objectID])
    #expect(items.first?["text"] as? String == "la")
    #expect(SmallModel.names(items.first, "fans") == ["2"])
  }

  @Test func aSubentitysConstraintBindsTheWholeTable() throws {
    let sub = SmallModel.entity("Sub", [], unique: [["name"]])
    let top = SmallModel.entity("Top", [SmallModel.text("name")])
    top.subentities = [sub]
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(top, sub), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    SmallModel.new("Sub", ["name": "x"], in: context)
    SmallModel.new("Top", ["name": "x"], in: context)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
  }

  @Test func severalAttributesAreOneConstraint() throws {
    let entity = SmallModel.entity(
      "Pair", [SmallModel.text("a"), SmallModel.text("b"), SmallModel.number("n")],
      unique: [["a", "b"], ["n"]])
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(entity), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    SmallModel.new("Pair", ["a": "1", "b": "1", "n": 1], in: context)
    SmallModel.new("Pair", ["a": "1", "b": "2", "n": 2], in: context)
    SmallModel.new("Pair", ["a": "1"], in: context)
    SmallModel.new("Pair", ["a": "1"], in: context)
    try context.save()
    #expect(try SmallModel.all("Pair", context).count == 4)
    // One object conflicts with two rows, by one constraint each: all three become one.
    SmallModel.new("Pair", ["a": "1", "b": "1", "n": 2], in: context)
    try context.save()
    let read = try SmallModel.all("Pair", SmallModel.context(coordinator))
    #expect(read.count == 3)
    #expect(read.count { $0["n"] as? Int == 2 } == 1)
  }

  private func companies() throws -> NSPersistentStoreCoordinator {
    try SmallModel.coordinator(UniquenessTests.model(), folder.file("a.sqlite"))
  }

  @Test func whatIsInsertedMeanwhileIsSavedLikeAllElse() throws {
    let coordinator = try companies()
    let first = SmallModel.context(coordinator)
    SmallModel.new("Company", ["name": "Acme", "size": 1], in: first)
    for number in 1...30 { SmallModel.new("Worker", ["name": "old \(number)"], in: first) }
    try first.save()
    let context = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    SmallModel.new("Company", ["name": "Acme", "size": 2], in: context)
    context.processPendingChanges()
    nonisolated(unsafe) var made: NSManagedObject?
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { _ in
      if made == nil { made = SmallModel.new("Worker", ["name": "audit"], in: context) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    #expect(made?.objectID.isTemporaryID == false)
    #expect(made?.isInserted == false)
    let workers = try SmallModel.all("Worker", SmallModel.context(coordinator))
    #expect(workers.count == 31)
    #expect(workers.last?["name"] as? String == "audit")
    #expect(workers.last?.objectID == made?.objectID)
  }

  /// Keeps the larger of two sizes, and records which kinds of conflicts occurred.
  private final class LargestWins: NSMergePolicy, @unchecked Sendable {
    var kinds: [String] = []

    init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
      for conflict in list {
        kinds.append(conflict.databaseObject == nil ? "objects" : "row")
        let objects = conflict.conflictingObjects + [conflict.databaseObject].compactMap(\.self)
        let largest = objects.compactMap { $0["size"] as? Int }.max()
        for object in objects { object["size"] = largest }
      }
      try super.resolve(constraintConflicts: list)
      for conflict in list { conflict.databaseObject?["city"] = "seen" }
    }
  }

  @Test func aPolicyOfTheProgramsMayDecide() throws {
    let coordinator = try companies()
    let context = SmallModel.context(coordinator)
    let policy = LargestWins()
    context.mergePolicy = policy
    SmallModel.new("Company", ["name": "Acme", "size": 5], in: context)
    try context.save()
    for size in [3, 4] { SmallModel.new("Company", ["name": "Acme", "size": size], in: context) }
    try context.save()
    #expect(policy.kinds == ["objects", "row"])
    let read = try SmallModel.all("Company", SmallModel.context(coordinator))
    #expect(read.map { $0["size"] as? Int } == [5])
    #expect(read.first?["city"] as? String == "seen")
  }

  /// Deletes the new object itself.
  private final class Deleting: NSMergePolicy, @unchecked Sendable {
    init() { super.init(merge: .errorMergePolicyType) }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
      for object in list.flatMap(\.conflictingObjects) {
        object.managedObjectContext?.delete(object)
      }
    }
  }

  @Test func aPolicyMayDoWithoutSuper() throws {
    let coordinator = try companies()
    let context = SmallModel.context(coordinator)
    SmallModel.new("Company", ["name": "Acme", "size": 5], in: context)
    try context.save()
    context.mergePolicy = Deleting()
    SmallModel.new("Company", ["name": "Acme", "size": 6], in: context)
    try context.save()
    #expect(try SmallModel.all("Company", SmallModel.context(coordinator)).count == 1)
  }

  @Test func aChildsLoserLeadsToTheSurvivor() throws {
    let coordinator = try companies()
    let first = SmallModel.context(coordinator)
    let old = SmallModel.new("Company", ["name": "Acme", "size": 1], in: first)
    try first.save()
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    parent.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let new = SmallModel.new("Company", ["name": "Acme", "size": 2], in: child)
    SmallModel.new("Worker", ["name": "w", "company": new], in: child)
    try child.save()
    try parent.performAndWait { try parent.save() }
    new["size"] = 3
    try child.save()
    try parent.performAndWait { try parent.save() }
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("Company", reader)
    #expect(read.map(\.objectID) == [old.objectID])
    #expect(read.first?["size"] as? Int == 3)
    #expect(SmallModel.names(read.first, "workers") == ["w"])
  }

  @Test func anObjectMayReferToItself() throws {
    let friend = SmallModel.relationship("friend")
    let friends = SmallModel.relationship("friends", many: true)
    let next = SmallModel.relationship("next")
    let node = SmallModel.entity(
      "Node", [SmallModel.text("name"), friend, friends, next], unique: [["name"]])
    SmallModel.link((friend, of: node), (friends, of: node))
    next.destinationEntity = node
    let coordinator = try SmallModel.coordinator(SmallModel.model(node), folder.file("a.sqlite"))
    for policy in UniquenessTests.resolving {
      let context = SmallModel.context(coordinator, policy)
      let object = SmallModel.new("Node", ["name": "x"], in: context)
      object["friend"] = object
      object["next"] = object
      try context.save()
      let reader = SmallModel.context(coordinator)
      let read = try SmallModel.all("Node", reader)
      #expect(read.count == 1)
      #expect(read.first?["friend"] as? NSManagedObject === read.first)
      #expect(read.first?["next"] as? NSManagedObject === read.first)
    }
  }

  /// Of two conflicts in one save, the loser of one leads to the loser of the other, in either order. What the survivors
  /// take over leads to the survivors.
  @Test(arguments: [false, true], [false, true])
  func aLoserMayLeadToALoser(isReverse: Bool, hasMany: Bool) throws {
    let next = SmallModel.relationship("next", many: hasMany)
    let node = SmallModel.entity("Node", [SmallModel.text("name"), next], unique: [["name"]])
    next.destinationEntity = node
    let coordinator = try SmallModel.coordinator(SmallModel.model(node), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    let nodes = ["a", "a", "b", "b"].map { SmallModel.new("Node", ["name": $0], in: context) }
    let (from, to) = isReverse ? (nodes[1], nodes[3]) : (nodes[3], nodes[1])
    from["next"] = hasMany ? NSSet(object: to) : to
    try context.save()
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("Node", reader)
    #expect(read.count == 2)
    let links = read.flatMap { node in
      let next = node["next"]
      let targets = next as? Set<NSManagedObject> ?? (next as? NSManagedObject).map { [$0] } ?? []
      return targets.map { [node["name"] as? String, $0["name"] as? String] }
    }
    #expect(links == [isReverse ? ["a", "b"] : ["b", "a"]])
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  @Test func undoKnowsNothingOfTheMerge() throws {
    let coordinator = try companies()
    let first = SmallModel.context(coordinator)
    SmallModel.new("Company", ["name": "Acme", "size": 1], in: first)
    try first.save()
    let context = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    SmallModel.new("Company", ["name": "Acme", "size": 2], in: context)
    let other = SmallModel.new("Company", ["name": "Other"], in: context)
    try context.save()
    context.undo()
    #expect(other.isDeleted || other.managedObjectContext == nil)
    try context.save()
    let read = try SmallModel.all("Company", SmallModel.context(coordinator))
    #expect(read.map { $0["name"] as? String } == ["Acme"])
    context.redo()
    try context.save()
    #expect(try SmallModel.all("Company", SmallModel.context(coordinator)).count == 2)
  }

  /// Two losers that are related, undone, lose again.
  @Test(arguments: [false, true]) func undoneLosersLoseAgain(isOrdered: Bool) throws {
    let (parent, children) = (
      SmallModel.relationship("parent", rule: .noActionDeleteRule),
      SmallModel.relationship("children", many: true, ordered: isOrdered)
    )
    let node = SmallModel.entity(
      "Node", [SmallModel.text("name"), parent, children], unique: [["name"]])
    SmallModel.link((parent, of: node), (children, of: node))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(node), folder.file("a.sqlite"))
    let (theirs, mine) = (
      SmallModel.context(coordinator),
      SmallModel.context(coordinator, .rollbackMergePolicyType)
    )
    mine.undoManager = UndoManager()
    mine.undoManager?.groupsByEvent = false
    for name in ["1", "2"] { SmallModel.new("Node", ["name": name], in: theirs) }
    let one = SmallModel.new("Node", ["name": "1"], in: mine)
    let two = SmallModel.new("Node", ["name": "2"], in: mine)
    mine.processPendingChanges()
    one["parent"] = two
    mine.processPendingChanges()
    try theirs.save()
    for _ in 0..<3 {
      try mine.save()
      mine.undo()
    }
    try mine.save()
    let read = try SmallModel.all("Node", SmallModel.context(coordinator))
    #expect(read.compactMap { $0["name"] as? String }.sorted() == ["1", "2"])
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  @Test func manyConflictsAreSettledAtOnce() throws {
    let coordinator = try companies()
    for round in 0..<2 {
      let context = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
      for number in 0..<300 {
        let company = SmallModel.new(
          "Company", ["name": "\(number)", "size": round], in: context)
        SmallModel.new("Worker", ["name": "\(round)", "company": company], in: context)
      }
      try context.save()
    }
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("Company", reader)
    #expect(read.count == 300)
    #expect(read.allSatisfy { $0["size"] as? Int == 1 })
    #expect(read.allSatisfy { SmallModel.names($0, "workers") == ["0", "1"] })
  }

  /// A read error while a conflict is resolved ends that save, not the next one.
  @Test func unreadableReferencesEndTheSave() throws {
    let like = SmallModel.relationship("like")
    let item = SmallModel.entity("Item", [SmallModel.text("name"), like], unique: [["name"]])
    like.destinationEntity = item
    let favourite = SmallModel.relationship("item")
    favourite.destinationEntity = item
    let fan = SmallModel.entity("Fan", [SmallModel.text("name"), favourite])
    let url = folder.file("b.sqlite")
    let coordinator = try SmallModel.coordinator(SmallModel.model(item, fan), url)
    let context = SmallModel.context(coordinator, .overwriteMergePolicyType)
    let old = SmallModel.new("Item", ["name": "x"], in: context)
    SmallModel.new("Fan", ["name": "1", "item": old], in: context)
    try context.save()
    context.reset()
    let known = try #require(try SmallModel.all("Item", context).first)
    let new = SmallModel.new("Item", ["name": "x", "like": known], in: context)
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.execute("ALTER TABLE ZFAN RENAME TO ZGONE")
    #expect(throws: NSError.self) { try context.save() }
    try connection.execute("ALTER TABLE ZGONE RENAME TO ZFAN")
    try context.save()
    let reader = SmallModel.context(coordinator)
    #expect(try SmallModel.all("Item", reader).map(\.objectID) == [new.objectID])
    #expect(
      try SmallModel.all("Fan", reader).map { ($0["item"] as? NSManagedObject)?.objectID } == [
        new.objectID
      ])
    #expect(try StoreCheck.findings(at: url) == [])
  }
}
