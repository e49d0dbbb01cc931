import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Deletions of objects to which other writers have added members since this context last read them.
@Suite struct StaleDeletionTests {
  private func contexts(
    _ folder: TemporaryFolder, _ rule: NSDeleteRule
  ) throws -> (NSManagedObjectContext, NSManagedObjectContext) {
    let coordinator = try Library.coordinator(
      folder.file("Library.sqlite"), Library.model(booksRule: rule))
    let mine = TestStore.context(coordinator)
    // Whoever gives an object members has changed it.
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    return (mine, TestStore.context(coordinator))
  }

  private func addBook(
    _ title: String, to author: NSManagedObject, in context: NSManagedObjectContext
  ) throws {
    let same = try context.existingObject(with: author.objectID)
    _ = Library.new("Book", ["title": title, "author": same], in: context)
    try context.save()
  }

  @Test(
    arguments: [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule, .denyDeleteRule],
    [false, true])
  func meetWhatIsThereByNow(_ rule: NSDeleteRule, isEarlier: Bool) throws {
    let folder = try TemporaryFolder()
    let (mine, theirs) = try contexts(folder, rule)
    let authors = try ["Ada", "Bob"].map { name in
      let author = Library.new("Author", ["name": name], in: mine)
      try mine.save()
      #expect((author["books"] as? NSSet)?.count == 0)
      return author
    }
    if isEarlier {
      authors.forEach(mine.delete)
      mine.processPendingChanges()
    }
    for author in authors { try addBook("late", to: author, in: theirs) }
    if !isEarlier { authors.forEach(mine.delete) }
    theirs.reset()
    if rule == .denyDeleteRule {
      #expect(throws: NSError.self) { try mine.save() }
      #expect(try Library.all("Author", in: theirs).count == 2)
      return
    }
    try mine.save()
    let books = try Library.all("Book", in: theirs)
    #expect(books.count == (rule == .cascadeDeleteRule ? 0 : 2))
    #expect(books.allSatisfy { $0["author"] == nil })
  }

  /// What is deleted here, and parted from its former partner before, has got another one from another writer.
  @Test(
    arguments: [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule],
    [(merges: false, own: nil), (true, nil), (true, "own")] as [(merges: Bool, own: String?)])
  func meetThePartnerThatIsThereByNow(
    _ rule: NSDeleteRule, way: (merges: Bool, own: String?)
  ) throws {
    let (merges, own) = way
    let folder = try TemporaryFolder()
    let (key, lock) = (
      SmallModel.relationship("key", rule: rule), SmallModel.relationship("lock")
    )
    let locks = SmallModel.entity("Lock", [SmallModel.text("name"), key])
    let keys = SmallModel.entity("Key", [SmallModel.text("name"), lock])
    SmallModel.link((key, of: locks), (lock, of: keys))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(locks, keys), folder.file("store.sqlite"))
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.automaticallyMergesChangesFromParent = merges
    let former = SmallModel.new("Key", ["name": "former"], in: mine)
    let door = SmallModel.new("Lock", ["name": "door", "key": former], in: mine)
    try mine.save()
    door["key"] = own.map { SmallModel.new("Key", ["name": $0], in: mine) }
    mine.delete(door)
    mine.processPendingChanges()
    let same = try theirs.existingObject(with: door.objectID)
    SmallModel.new("Key", ["name": "new", "lock": same], in: theirs)
    try theirs.save()
    if !merges {
      mine.refresh(door, mergeChanges: true)
      mine.refresh(former, mergeChanges: true)
    }
    try mine.save()
    theirs.reset()
    #expect(try SmallModel.all("Lock", theirs).isEmpty)
    let left = try SmallModel.all("Key", theirs)
    // A new object that is deleted with the lock was never there.
    let names =
      rule == .cascadeDeleteRule ? ["former"] : ["former", "new"] + [own].compactMap(\.self)
    #expect(Set(left.compactMap { $0["name"] as? String }) == Set(names))
    #expect(left.allSatisfy { $0["lock"] == nil })
    #expect(try StoreCheck.findings(at: folder.file("store.sqlite")) == [])
  }

  /// Another writer adds an object that is deleted here to a relationship, which is read before the deletion is saved.
  @Test(arguments: [false, true])
  func whatIsDeletedHereLeavesWhatWasReadSince(isOrdered: Bool) throws {
    let folder = try TemporaryFolder()
    let items = SmallModel.relationship("items", many: true, ordered: isOrdered)
    let lists = SmallModel.relationship("lists", many: true)
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), lists])
    SmallModel.link((items, of: list), (lists, of: item))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(list, item), folder.file("store.sqlite"))
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let owner = SmallModel.new("List", ["name": "a"], in: mine)
    let member = SmallModel.new("Item", ["name": "b"], in: mine)
    try mine.save()
    #expect(SmallModel.names(owner, "items") == [])
    mine.delete(member)
    mine.processPendingChanges()
    let (same, other) = (
      try theirs.existingObject(with: owner.objectID),
      try theirs.existingObject(with: member.objectID)
    )
    isOrdered
      ? same.mutableOrderedSetValue(forKey: "items").add(other)
      : same.mutableSetValue(forKey: "items").add(other)
    try theirs.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [owner.objectID, member.objectID]],
      into: [mine])
    _ = SmallModel.names(owner, "items")
    try mine.save()
    #expect(SmallModel.names(owner, "items") == [])
    #expect(!mine.hasChanges)
    #expect(try StoreCheck.findings(at: folder.file("store.sqlite")) == [])
  }

  /// Whether a relationship that no rule clears keeps what is deleted doesn't depend on what else was read.
  @Test(arguments: [true, false])
  func whatNoRuleClearsStays(readsOthers: Bool) throws {
    let folder = try TemporaryFolder()
    let shown = SmallModel.relationship("shown", many: true)
    let parts = SmallModel.relationship("parts", many: true)
    let wholes = SmallModel.relationship("wholes", many: true)
    let windows = SmallModel.relationship("windows", many: true, rule: .noActionDeleteRule)
    let goods = SmallModel.relationship("goods", many: true)
    let window = SmallModel.entity("Window", [SmallModel.text("name"), shown, goods])
    let whole = SmallModel.entity("Whole", [SmallModel.text("name"), parts, windows])
    let part = SmallModel.entity("Part", [SmallModel.text("name"), wholes])
    shown.destinationEntity = whole
    SmallModel.link((parts, of: whole), (wholes, of: part))
    SmallModel.link((windows, of: whole), (goods, of: window))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(window, whole, part), folder.file("store.sqlite"))
    let context = SmallModel.context(coordinator)
    let car = SmallModel.new("Whole", ["name": "car"], in: context)
    let shop = SmallModel.new("Window", ["shown": Set([car]), "goods": Set([car])], in: context)
    let wheel = SmallModel.new("Part", ["wholes": Set([car])], in: context)
    try context.save()
    if readsOthers { context.refresh(wheel, mergeChanges: false) }
    context.delete(car)
    context.processPendingChanges()
    if readsOthers { #expect((wheel["wholes"] as? NSSet)?.count == 0) }
    try context.save()
    #expect((shop["shown"] as? NSSet)?.count == 1 && (shop["goods"] as? NSSet)?.count == 1)
    context.refresh(shop, mergeChanges: false)
    #expect((shop["shown"] as? NSSet)?.count == 0 && (shop["goods"] as? NSSet)?.count == 0)
  }

  /// A read error during a save ends that save, not the next one.
  @Test(arguments: [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule, .denyDeleteRule])
  func unreadableMembersEndTheSave(rule: NSDeleteRule) throws {
    let folder = try TemporaryFolder()
    let (mine, theirs) = try contexts(folder, rule)
    let ada = Library.new("Author", ["name": "Ada"], in: mine)
    let book = Library.new("Book", ["title": "a", "author": ada], in: mine)
    try mine.save()
    mine.refreshAllObjects()
    #expect(ada["name"] as? String == "Ada")
    mine.delete(ada)
    let connection = try SQLiteConnection(
      writing: folder.file("Library.sqlite"), creation: .existing)
    try connection.execute("ALTER TABLE ZBOOK RENAME TO ZGONE")
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.code != NSValidationRelationshipDeniedDeleteError)
    try connection.execute("ALTER TABLE ZGONE RENAME TO ZBOOK")
    if rule == .denyDeleteRule {
      let error = #expect(throws: NSError.self) { try mine.save() }
      #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
      return
    }
    try mine.save()
    #expect(try Library.all("Author", in: theirs).isEmpty)
    #expect(try Library.all("Book", in: theirs).count == (rule == .cascadeDeleteRule ? 0 : 1))
    #expect(try Library.all("Book", in: theirs).allSatisfy { $0["author"] == nil })
    #expect(rule == .cascadeDeleteRule || book["author"] == nil)
  }

  @Test func whatWasTakenOutHereIsSpared() throws {
    let folder = try TemporaryFolder()
    let (mine, theirs) = try contexts(folder, .cascadeDeleteRule)
    let ada = Library.new("Author", ["name": "Ada"], in: mine)
    let bob = Library.new("Author", ["name": "Bob"], in: mine)
    let book = Library.new("Book", ["title": "spared", "author": ada], in: mine)
    try mine.save()
    #expect((ada["books"] as? NSSet)?.count == 1)
    try addBook("late", to: ada, in: theirs)
    book["author"] = bob
    mine.delete(ada)
    try mine.save()
    #expect(try Library.all("Book", in: mine).map { $0["title"] as? String } == ["spared"])
    #expect(book["author"] as? NSManagedObject === bob)
  }
}
