import DataModels
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// How objects, their values and their identities are represented.
@Suite struct RepresentationTests {
  @Test func identityTablesKeepWhatADictionaryWould() throws {
    let model = Company.model()
    let root = try #require(ModelLayout.of(model)["Person"])
    let table = IdentityTable(store: nil, root: root)
    var expected: [Int64: NSManagedObject] = [:]
    var random = SystemRandomNumberGenerator()
    // Keys that are close together, far apart, negative, and with equal remainders.
    let keys: [Int64] = (0..<200).flatMap { [$0, $0 << 40, -$0, $0 * 1024] } + [.min, .max]
    for step in 0..<20_000 {
      let key = keys[Int.random(in: 0..<keys.count, using: &random)]
      // Grows first, then about as many removals as additions.
      if step < 2000 || Bool.random(using: &random) {
        let object = NSManagedObject(entity: root.entity, insertInto: nil)
        table[key] = object
        expected[key] = object
      } else {
        table[key] = nil
        expected[key] = nil
      }
      #expect(table.count == expected.count)
    }
    for key in keys { #expect(table[key] === expected[key]) }
    // Half of the objects have no other references and are released.
    let kept = expected.filter { $0.key % 2 == 0 }
    let lost = Set(expected.keys).subtracting(kept.keys)
    expected = kept
    var gone: [NSManagedObject] = []
    table.sweep({ _ in true }, into: &gone)
    #expect(gone.count == lost.count)
    #expect(table.count == kept.count)
    for key in keys { #expect(table[key] === kept[key]) }
  }

  /// A context that loads many objects once and keeps few doesn't pay for them permanently.
  @Test func identityTablesShrink() throws {
    let model = Company.model()
    let root = try #require(ModelLayout.of(model)["Person"])
    let table = IdentityTable(store: nil, root: root)
    var kept: [Int64: NSManagedObject] = [:]
    for key in Int64(0)..<4000 {
      let object = NSManagedObject(entity: root.entity, insertInto: nil)
      table[(key * 7919) % 4000] = object
      if key % 400 == 0 { kept[(key * 7919) % 4000] = object }
    }
    #expect(table.count == 4000 && table.pageCount == 500)
    var gone: [NSManagedObject] = []
    table.sweep({ _ in true }, into: &gone)
    #expect(gone.count == 3990 && table.count == 10 && table.pageCount == 10)
    for key in Int64(0)..<4000 { #expect(table[key] === kept[key]) }
    var order: [ObjectIdentifier] = []
    table.forEach { order.append(ObjectIdentifier($0)) }
    #expect(order == kept.sorted { $0.key < $1.key }.map { ObjectIdentifier($0.value) })
    // Pages that are emptied entry by entry don't accumulate either.
    for key in Int64(4000)..<40_000 {
      table[key] = NSManagedObject(entity: root.entity, insertInto: nil)
      table[key] = nil
    }
    #expect(table.count == 10 && table.pageCount < 60)
    for key in kept.keys { #expect(table[key] === kept[key]) }
    table.removeAll()
    #expect(table.count == 0 && table.pageCount == 0 && table[0] == nil)
  }

  @Test func namesAreFoundByTheirWords() {
    final class Thing {}
    let names = ["a", "name", "fifteen letters", "größe", "a name of more than fifteen letters"]
    let things = Dictionary(uniqueKeysWithValues: names.map { ($0, Thing()) })
    let table = NameTable(things)
    for name in names.prefix(4) {
      // A concatenated string works too.
      #expect(table[name.map(String.init).joined()] === things[name])
    }
    #expect(table["b"] == nil)
    #expect(table[""] == nil)
    let empty = NameTable<Thing>([:])
    #expect(empty["a"] == nil)
  }

  @Test func identitiesAreTheSameWheneverTheyAreAskedFor() throws {
    let context = try Company.context()
    let early = PersonMO(entity: context.entity("Person"), insertInto: context)
    let late = PersonMO(entity: context.entity("Person"), insertInto: context)
    let temporary = early.objectID
    #expect(temporary.isTemporaryID)
    #expect(temporary === early.objectID)
    try context.save()
    #expect(!early.objectID.isTemporaryID)
    #expect(!late.objectID.isTemporaryID)
    #expect(early.objectID != late.objectID)
    #expect(late.objectID === late.objectID)
    // The object can still be found by its temporary ID.
    #expect(context.object(with: temporary) === early)
    #expect(context.object(with: late.objectID) === late)
  }

  /// Observers of an event see what it has changed.
  @Test func observersSeeTheOldValues() throws {
    let context = try Company.context()
    let people = ["Ada", "Bob"].map { name in
      let person = PersonMO(entity: context.entity("Person"), insertInto: context)
      person.name = name
      return person
    }
    let company = NSManagedObject(entity: context.entity("Company"), insertInto: context)
    company["name"] = "House"
    try context.save()
    nonisolated(unsafe) var seen: [[String: Any]] = []
    nonisolated(unsafe) var isFirst = true
    nonisolated(unsafe) let watched = people
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { _ in
      for person in watched { seen.append(person.changedValuesForCurrentEvent()) }
      // An event of its own.
      guard isFirst else { return }
      isFirst = false
      watched[1].name = "Cid"
      seen.append(watched[1].changedValuesForCurrentEvent())
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    people[0].name = "Grace"
    people[0]["employer"] = company
    context.processPendingChanges()
    try #require(seen.count == 3)
    #expect(seen[0]["name"] as? String == "Ada")
    #expect(seen[0]["employer"] is NSNull)
    #expect(seen[0].count == 2)
    #expect(seen[1].isEmpty)
    #expect(seen[2]["name"] as? String == "Bob")
    seen = []
    people[0].name = "Eve"
    context.processPendingChanges()
    // What the last event had changed isn't this one's.
    #expect(seen.map { $0.keys.sorted() } == [["name"], ["name"]])
    #expect(seen.first?["name"] as? String == "Grace")
    #expect(seen.last?["name"] as? String == "Bob")
    #expect(people[0].changedValuesForCurrentEvent().isEmpty)
  }

  @Test func valuesOfAnEventAreThoseAtItsBeginning() throws {
    let context = try Company.context()
    let person = PersonMO(entity: context.entity("Person"), insertInto: context)
    person.name = "Ada"
    try context.save()
    person.name = "Grace"
    #expect(person.committedValues(forKeys: ["name"])["name"] as? String == "Ada")
    #expect(person.changedValuesForCurrentEvent()["name"] as? String == "Ada")
    #expect(person.changedValuesForCurrentEvent().keys.sorted() == ["name"])
    context.processPendingChanges()
    #expect(person.changedValuesForCurrentEvent().isEmpty)
    person.age = 3
    #expect(person.changedValuesForCurrentEvent().keys.sorted() == ["age"])
    #expect(person.changedValues().keys.sorted() == ["age", "name"])
    context.rollback()
    #expect(person.name == "Ada")
    #expect(person.changedValues().isEmpty)
    person.name = "Joan"
    try context.save()
    #expect(person.committedValues(forKeys: nil)["name"] as? String == "Joan")
  }

  /// The two sides of a relationship differ after one was refreshed: setting it again doesn't insert the object a
  /// second time.
  @Test func anObjectIsEnteredOnceThoughTheSidesDiffer() throws {
    let context = try Company.context()
    let person = PersonMO(entity: context.entity("Person"), insertInto: context)
    let company = CompanyMO(entity: context.entity("Company"), insertInto: context)
    company.name = "Analytical"
    try context.save()
    person.employer = company
    #expect(company.staff == [person])
    context.refresh(person, mergeChanges: false)
    #expect(person.employer == nil)
    person.employer = company
    #expect(company.objectIDs(forRelationshipNamed: "staff") == [person.objectID])
    person.setPrimitiveValue(nil, forKey: "employer")
    person.employer = company
    #expect(company.objectIDs(forRelationshipNamed: "staff") == [person.objectID])
    try context.save()
    #expect(company.objectIDs(forRelationshipNamed: "staff") == [person.objectID])
  }

  /// Programs cast the sets in notifications to Swift sets: outside of Apple's systems this only works for plain
  /// ones.
  @Test func setsOfNotificationsCanBeCast() throws {
    let context = try Company.context()
    let found = Mutex<[String: (objects: Int, identities: Int)]>([:])
    let names: [NSNotification.Name] = [
      .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave,
      .NSManagedObjectContextDidSaveObjectIDs,
    ]
    let observers = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
        let objects = note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
        let ids = note.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>
        let counts = (objects?.count ?? 0, ids?.count ?? 0)
        found.withLock { $0[name.rawValue] = counts }
      }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    for _ in 0..<3 { _ = PersonMO(entity: context.entity("Person"), insertInto: context) }
    try context.save()
    let counts = found.withLock { $0 }
    #expect(counts[names[0].rawValue]?.objects == 3)
    #expect(counts[names[1].rawValue]?.objects == 3)
    #expect(counts[names[2].rawValue]?.identities == 3)
  }

  @Test func anEntityWithoutAttributesHasRows() throws {
    let bare = entity("Bare")
    let model = NSManagedObjectModel(of: [bare])
    let coordinator = try TestStore.coordinator(model)
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    _ = NSManagedObject(entity: bare, insertInto: child)
    try child.save()
    try parent.performAndWait { try parent.save() }
    let other = TestStore.context(coordinator)
    #expect(try other.count(for: NSFetchRequest<NSManagedObject>(entityName: "Bare")) == 1)
  }
  @Test func setsOfRelationshipsCanBeCast() throws {
    let context = try Company.context()
    let company = CompanyMO(entity: context.entity("Company"), insertInto: context)
    let person = PersonMO(entity: context.entity("Person"), insertInto: context)
    person.employer = company
    #expect(company.value(forKey: "staff") as? Set<PersonMO> == [person])
    #expect((company.value(forKey: "staff") as? NSSet)?.count == 1)
    let set = company.mutableSetValue(forKey: "staff")
    #expect(set.allObjects as? [PersonMO] == [person])
    #expect(set.compactMap { $0 as? PersonMO } == [person])
  }

  /// Two sets that refer to each other's owners don't keep these alive when nobody else does.
  @Test(arguments: ["gone", "reset"])
  func circlesOfObjectsGoWithTheirContext(how: String) throws {
    weak var person: NSManagedObject?
    weak var project: NSManagedObject?
    var context: NSManagedObjectContext? = try Company.context()
    do {
      let context = try #require(context)
      let ada = PersonMO(entity: context.entity("Person"), insertInto: context)
      let engine = NSManagedObject(entity: context.entity("Project"), insertInto: context)
      ada.projects = [engine]
      try context.save()
      #expect(engine.value(forKey: "members") as? Set<PersonMO> == [ada])
      #expect(ada.projects == [engine])
      (person, project) = (ada, engine)
    }
    #expect(person != nil && project != nil)
    if how == "reset" { context?.reset() }
    if how == "gone" { context = nil }
    #expect(person == nil && project == nil)
    _ = context
  }

  /// Nor do objects that have left their context before.
  @Test(arguments: ["rolled back", "deleted", "undoably deleted"], [false, true])
  func circlesOfObjectsGoThatHaveLeft(how: String, staysContext: Bool) throws {
    weak var person: NSManagedObject?
    weak var project: NSManagedObject?
    var context: NSManagedObjectContext? = try Company.context()
    do {
      let context = try #require(context)
      if how == "undoably deleted" {
        context.undoManager = UndoManager()
        context.undoManager?.groupsByEvent = false
      }
      try undoably(context) {
        let ada = PersonMO(entity: context.entity("Person"), insertInto: context)
        let engine = NSManagedObject(entity: context.entity("Project"), insertInto: context)
        ada.projects = [engine]
        (person, project) = (ada, engine)
        if how == "undoably deleted" { try context.save() }
      }
      try undoably(context) {
        switch how {
        case "rolled back": context.rollback()
        default: for object in [person, project] { object.map(context.delete) }
        }
        context.processPendingChanges()
      }
      if how == "undoably deleted" { try context.save() }
    }
    #expect(person != nil && project != nil)
    if staysContext {
      if how == "undoably deleted" { context?.rollback() } else { try context?.save() }
    } else {
      context = nil
    }
    #expect(person == nil && project == nil)
    _ = context
  }

  private func undoably(_ context: NSManagedObjectContext, _ work: () throws -> Void) throws {
    context.undoManager?.beginUndoGrouping()
    try work()
    context.undoManager?.endUndoGrouping()
  }

  /// One side alone is no cycle: whoever read it can still use it.
  @Test func aRelationshipOutlivesItsContext() throws {
    let context = try Company.context()
    let ada = PersonMO(entity: context.entity("Person"), insertInto: context)
    ada.projects = [NSManagedObject(entity: context.entity("Project"), insertInto: context)]
    try context.save()
    let request = NSFetchRequest<PersonMO>(entityName: "Person")
    request.relationshipKeyPathsForPrefetching = ["projects"]
    func found() throws -> PersonMO? {
      let other = TestStore.context(context.persistentStoreCoordinator)
      return try other.fetch(request).first
    }
    let person = try #require(try found())
    #expect(person.managedObjectContext == nil)
    #expect(person.projects.map(\.objectID) == ada.projects.map(\.objectID))
  }

  /// An object may outlive its context, coordinator and store, however it was created, and still knows its ID.
  @Test(arguments: ["fetched", "fault", "refreshed", "inserted", "updated", "deleted"])
  func objectsOutliveTheirStores(kind: String) throws {
    var object: NSManagedObject?
    var identifier = ""
    var key: Int64 = 0
    weak var goneStore: NSPersistentStore?
    do {
      let context = try Company.context()
      let coordinator = try #require(context.persistentStoreCoordinator)
      let store = try #require(coordinator.persistentStores.first)
      (identifier, goneStore) = (store.identifier, store)
      let made = PersonMO(entity: context.entity("Person"), insertInto: context)
      made.name = "Ada"
      try context.save()
      key = made.objectID.key
      if kind == "inserted" {
        object = made
      } else {
        let id = made.objectID
        context.reset()
        let request = NSFetchRequest<PersonMO>(entityName: "Person")
        let known = kind == "fault" ? nil : try context.fetch(request).first
        let found = known ?? context.object(with: id)
        switch kind {
        case "refreshed":
          _ = found.value(forKey: "name")
          context.refresh(found, mergeChanges: false)
        case "updated":
          found.setValue("Eve", forKey: "name")
          try context.save()
        case "deleted":
          context.delete(found)
          try context.save()
        default: break
        }
        object = found
      }
    }
    #expect(goneStore == nil)
    let rest = try #require(object)
    #expect(rest.managedObjectContext == nil)
    #expect(rest.objectID.key == key && !rest.objectID.isTemporaryID)
    #expect(
      rest.objectID.uriRepresentation().absoluteString
        == "x-coredata://\(identifier)/Person/p\(key)")
    let name = rest.value(forKey: "name") as? String
    let expected = ["fetched": "Ada", "inserted": "Ada", "updated": "Eve", "deleted": "Ada"]
    #expect(name == expected[kind])
  }

  /// Objects that are released with their context may access others while they are deallocated.
  @Test func objectsGoingMayAskOthers() throws {
    final class Log: @unchecked Sendable { var lines: [String] = [] }
    let log = Log()
    let context = try Company.context()
    do {
      var previous: LastWord?
      for number in 0..<100 {
        let object = LastWord(entity: context.entity("Address"), insertInto: context)
        object.setValue("street \(number)", forKey: "street")
        object.word = { [previous] in
          log.lines.append("\(previous?.managedObjectContext == nil)")
        }
        previous = object
      }
      try context.save()
      previous = nil
    }
    context.reset()
    #expect(log.lines == Array(repeating: "true", count: 100))
  }
}

extension NSManagedObjectContext {
  func entity(_ name: String) -> NSEntityDescription {
    guard let entity = NSEntityDescription.entity(forEntityName: name, in: self) else {
      preconditionFailure("no entity \(name)")
    }
    return entity
  }
}

/// An object that runs a closure when it is deallocated.
private final class LastWord: NSManagedObject {
  var word: () -> Void = {}
  deinit { word() }
}
