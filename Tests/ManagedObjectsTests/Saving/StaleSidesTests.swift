import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Two sides of a relationship that were read at different times, or are the same: what one of them already shows
/// isn't a change to it, and isn't undone.
@Suite struct StaleSidesTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let mine: NSManagedObjectContext
  private let theirs: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    mine.mergePolicy = NSMergePolicy.rollback
  }

  private func count(_ object: NSManagedObject, _ key: String) -> Int? {
    (object[key] as? NSSet)?.count
  }

  /// A rollback doesn't restore what other writers have undone in the meantime.
  @Test(arguments: [false, true]) func aRollbackChangesNoOtherSide(adds: Bool) throws {
    let book = Library.new("Book", ["title": "a"], in: mine)
    let tag = Library.new("Tag", ["name": "t"], in: mine)
    book.addObject(tag, toRelationshipNamed: "tags")
    try mine.save()
    mine.refreshAllObjects()
    #expect(book["title"] as? String == "a")
    #expect(tag["name"] as? String == "t")
    #expect(count(adds ? tag : book, adds ? "books" : "tags") == 1)
    let same = try theirs.existingObject(with: book.objectID)
    same.removeObject(
      try theirs.existingObject(with: tag.objectID), fromRelationshipNamed: "tags")
    try theirs.save()
    if adds {
      book.addObject(tag, toRelationshipNamed: "tags")
    } else {
      mine.refresh(tag, mergeChanges: true)
      #expect(count(tag, "books") == 0)
      book.removeObject(tag, fromRelationshipNamed: "tags")
    }
    try mine.save()
    let read = try #require(
      try Library.all("Book", in: TestStore.context(coordinator)).first)
    #expect(count(read, "tags") == 0)
    #expect(!mine.hasChanges)
    #expect(try StoreCheck.findings(at: folder.file("Library.sqlite")) == [])
  }

  /// Another context has ended a one-to-one, or deleted its other side, of which this one has the old row: setting it
  /// is a change of both sides. So it is if the old row stays because something was set in it.
  @Test(arguments: [false, true], [false, true])
  func aPartnerByAnOldRowIsSet(isDeleted: Bool, isTouched: Bool) throws {
    let author = Library.new("Author", ["name": "a"], in: theirs)
    let contract = Library.new("Contract", ["sum": 1, "author": author], in: theirs)
    try theirs.save()
    let old = try mine.existingObject(with: contract.objectID)
    #expect(old["sum"] as? Int == 1)
    if isTouched { old["sum"] = 1 }
    author["contract"] = nil
    if isDeleted { theirs.delete(contract) }
    try theirs.save()
    let here = try mine.existingObject(with: author.objectID)
    here["contract"] = old
    let reader = TestStore.context(coordinator)
    if isDeleted, isTouched {
      // By the policy, what was changed here gives way.
      try mine.save()
      let read = try reader.existingObject(with: author.objectID)
      #expect(read["contract"] == nil && here["contract"] == nil)
    } else if isDeleted {
      #expect(throws: NSError.self) { try mine.save() }
    } else {
      try mine.save()
      let read = try reader.existingObject(with: contract.objectID)
      #expect((read["author"] as? NSManagedObject)?.objectID == author.objectID)
    }
    #expect(try StoreCheck.findings(at: folder.file("Library.sqlite")) == [])
  }

  /// A partner that was led elsewhere and comes back here is as its old row was, which another context has deleted.
  @Test func aPartnerThatReturnsToItsOldRowIsMissed() throws {
    let friend = SmallModel.relationship("friend")
    let person = SmallModel.entity("Person", [SmallModel.text("name"), friend])
    SmallModel.link((friend, of: person), (friend, of: person))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(person), folder.file("friends.sqlite"))
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let a = SmallModel.new("Person", ["name": "a"], in: theirs)
    let b = SmallModel.new("Person", ["name": "b", "friend": a], in: theirs)
    try theirs.save()
    let old = try mine.existingObject(with: b.objectID)
    theirs.delete(b)
    try theirs.save()
    let here = try mine.existingObject(with: a.objectID)
    #expect(here["friend"] == nil)
    old["friend"] = old
    here["friend"] = old
    #expect(throws: NSError.self) { try mine.save() }
    #expect(try StoreCheck.findings(at: folder.file("friends.sqlite")) == [])
  }

  /// A one-to-one that another context has ended and made again while this one read a side in between: the change here
  /// wins, on both sides.
  @Test(
    arguments: [
      NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType,
      .mergeByPropertyStoreTrumpMergePolicyType, .overwriteMergePolicyType,
    ])
  func aPartnerThatWasTakenBackIsLeft(policy: NSMergePolicyType) throws {
    let friend = SmallModel.relationship("friend")
    let person = SmallModel.entity("Person", [SmallModel.text("name"), friend])
    SmallModel.link((friend, of: person), (friend, of: person))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(person), folder.file("friends.sqlite"))
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.mergePolicy = NSMergePolicy(merge: policy)
    let (a, b) = (SmallModel.new("Person", in: theirs), SmallModel.new("Person", in: theirs))
    try theirs.save()
    let partner = try mine.existingObject(with: a.objectID)
    a["friend"] = b
    try theirs.save()
    let here = try mine.existingObject(with: b.objectID)
    here["name"] = "b"
    a["friend"] = nil
    try theirs.save()
    let other = SmallModel.new("Person", ["friend": here], in: mine)
    a["friend"] = b
    try theirs.save()
    try mine.save()
    let reader = SmallModel.context(coordinator)
    let read = try reader.existingObject(with: here.objectID)
    #expect((read["friend"] as? NSManagedObject)?.objectID == other.objectID)
    #expect(try reader.existingObject(with: partner.objectID)["friend"] == nil)
    #expect(try StoreCheck.findings(at: folder.file("friends.sqlite")) == [])
  }

  /// A change of a one-to-one gives way to what another context has saved: the destination that it had taken away, as it
  /// had learned of, is there again, or stays where it was led.
  @Test(arguments: [false, true]) func aPartnerThatTheStoreHasStays(isLedElsewhere: Bool) throws {
    let (seat, guest) = (SmallModel.relationship("seat"), SmallModel.relationship("guest"))
    let place = SmallModel.entity("Place", [SmallModel.text("name"), seat, guest])
    SmallModel.link((seat, of: place), (guest, of: place))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(place), folder.file("places.sqlite"))
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    let places = (0..<3).map { SmallModel.new("Place", ["name": "\($0)"], in: mine) }
    try mine.save()
    let there = try places.map { try theirs.existingObject(with: $0.objectID) }
    there[0]["seat"] = there[1]
    try theirs.save()
    places[1]["guest"] = places[0]
    places[0]["seat"] = places[0]
    if isLedElsewhere { places[1]["guest"] = places[2] }
    try mine.save()
    let reader = SmallModel.context(coordinator)
    let guest1 = try reader.existingObject(with: places[1].objectID)["guest"] as? NSManagedObject
    #expect(guest1?.objectID == places[isLedElsewhere ? 2 : 0].objectID)
    #expect(try StoreCheck.findings(at: folder.file("places.sqlite")) == [])
  }

  /// Two contexts of a store of firms and persons, and a person that the first, a parent, has saved.
  private func firms(
    isOrdered: Bool, rule: NSDeleteRule = .nullifyDeleteRule, keepsPerson: Bool = false
  ) throws -> (parent: NSManagedObjectContext, there: NSManagedObjectContext, NSManagedObjectID) {
    let staff = SmallModel.relationship("staff", many: true, ordered: isOrdered, rule: rule)
    let firm = SmallModel.relationship("firm")
    let firms = SmallModel.entity("Firm", [SmallModel.text("name"), staff])
    let people = SmallModel.entity("Person", [SmallModel.text("name"), firm])
    SmallModel.link((staff, of: firms), (firm, of: people))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(firms, people), folder.file("firms.sqlite"))
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    parent.retainsRegisteredObjects = keepsPerson
    let person = try parent.performAndWait {
      let person = SmallModel.new("Person", ["name": "a"], in: parent)
      try parent.save()
      return person.objectID
    }
    return (parent, SmallModel.context(coordinator), person)
  }

  /// A child reads an owner's members, to which another context has led one whose row its parent read before. Long lists
  /// find their members in another way.
  @Test(arguments: [false, true], [0, 20])
  func aMemberIsCountedOnce(isOrdered: Bool, others: Int) throws {
    let (parent, there, person) = try firms(isOrdered: isOrdered)
    let owner = SmallModel.new("Firm", ["name": "one"], in: there)
    for _ in 0..<others { SmallModel.new("Person", ["firm": owner], in: there) }
    try there.existingObject(with: person).setValue(owner, forKey: "firm")
    try there.save()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    try child.performAndWait {
      let known = try child.existingObject(with: owner.objectID)
      let property = try #require(known.layout.property("staff"))
      #expect(known.loadedMembers(property).count == others + 1)
      let member = try #require(child.registeredObject(for: person))
      #expect(member["firm"] == nil)
      member["firm"] = known
      #expect(known.loadedMembers(property).count == others + 1)
      #expect(known.value(forKeyPath: "staff.@count") as? Int == others + 1)
      try child.save()
      #expect(known.loadedMembers(property).count == others + 1)
    }
  }

  /// A child takes a member out of an owner, and deletes that, of which neither it nor its parent has read that another
  /// context has led it there: the store's reference goes, too.
  @Test(arguments: [false, true], [false, true])
  func aChildTakesOutAMemberByItsOwnerOnly(isOrdered: Bool, deletes: Bool) throws {
    let (parent, there, person) = try firms(
      isOrdered: isOrdered, rule: .cascadeDeleteRule, keepsPerson: true)
    let owner = SmallModel.new("Firm", ["name": "one"], in: there)
    try there.existingObject(with: person).setValue(owner, forKey: "firm")
    try there.save()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    try child.performAndWait {
      let known = try child.existingObject(with: owner.objectID)
      let member = try child.existingObject(with: person)
      known.removeObject(member, fromRelationshipNamed: "staff")
      if deletes { child.delete(known) }
      try child.save()
    }
    try parent.performAndWait { try parent.save() }
    there.reset()
    #expect(try there.existingObject(with: person)["firm"] == nil)
    #expect(try SmallModel.all("Firm", there).count == (deletes ? 0 : 1))
    #expect(try StoreCheck.findings(at: folder.file("firms.sqlite")) == [])
  }

  /// A relationship that is its own inverse: an object that was temporarily related to itself is unchanged.
  @Test(arguments: [false, true]) func oneSideIsTheOther(isMember: Bool) throws {
    let person = entity("Person", [attribute("name")])
    let friends = relationship("friends", to: person, max: 0)
    friends.inverseRelationship = friends
    person.properties += [friends]
    let coordinator = try SmallModel.coordinator(
      NSManagedObjectModel(of: [person]), folder.file("Friends.sqlite"))
    let context = TestStore.context(coordinator)
    let ada = SmallModel.new("Person", ["name": "Ada"], in: context)
    if isMember { ada.addObject(ada, toRelationshipNamed: "friends") }
    try context.save()
    context.refreshAllObjects()
    #expect(ada["name"] as? String == "Ada")
    if isMember {
      ada.removeObject(ada, fromRelationshipNamed: "friends")
      ada.addObject(ada, toRelationshipNamed: "friends")
    } else {
      ada.addObject(ada, toRelationshipNamed: "friends")
      ada.removeObject(ada, fromRelationshipNamed: "friends")
    }
    #expect(!ada.hasPersistentChangedValues)
    try context.save()
    #expect(count(ada, "friends") == (isMember ? 1 : 0))
    if isMember {
      ada.removeObject(ada, fromRelationshipNamed: "friends")
      try context.save()
    }
    let reader = TestStore.context(coordinator)
    #expect(count(try reader.existingObject(with: ada.objectID), "friends") == 0)
  }

  /// A deletion that was rejected twice, because the member requires an owner, is undone including its members.
  @Test func whatADeletionLedNowhereIsAMemberAgain() throws {
    let (owner, member) = (entity("Owner", [attribute("name")]), entity("Member"))
    let members = relationship("members", to: member, max: 0)
    let back = relationship("owner", to: owner, max: 1)
    back.isOptional = false
    link(members, back)
    owner.properties += [members]
    member.properties = [attribute("name"), back]
    let coordinator = try SmallModel.coordinator(
      NSManagedObjectModel(of: [owner, member]), folder.file("Owners.sqlite"))
    let context = TestStore.context(coordinator)
    context.undoManager = UndoManager()
    context.undoManager?.groupsByEvent = false
    let one = SmallModel.new("Owner", ["name": "1"], in: context)
    let other = SmallModel.new("Member", ["name": "a", "owner": one], in: context)
    try context.save()
    context.delete(one)
    for _ in 0..<2 { #expect(throws: NSError.self) { try context.save() } }
    context.undo()
    #expect(other["owner"] as? NSManagedObject === one)
    #expect(count(one, "members") == 1)
  }

  /// A row that is written again after its deletion has no owner, in stores of all types.
  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType] + AtomicFiles.types)
  func whatComesBackHasNoOldOwners(type: String) throws {
    let (owner, member) = (entity("Owner", [attribute("name")]), entity("Member"))
    member.properties = [attribute("name")]
    owner.properties += [relationship("members", to: member, max: 0)]
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(of: [owner, member]))
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("store"))
    let (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    mine.mergePolicy = NSMergePolicy.overwrite
    let one = SmallModel.new("Owner", ["name": "1"], in: mine)
    let other = SmallModel.new("Member", ["name": "a"], in: mine)
    one.addObject(other, toRelationshipNamed: "members")
    try mine.save()
    mine.refresh(one, mergeChanges: false)
    theirs.delete(try theirs.existingObject(with: other.objectID))
    try theirs.save()
    other["name"] = "back"
    try mine.save()
    let reader = TestStore.context(coordinator)
    #expect(try reader.existingObject(with: other.objectID)["name"] as? String == "back")
    #expect(count(try reader.existingObject(with: one.objectID), "members") == 0)
  }

  /// A row that is written again after a deletion that did nothing to its members agrees with them, in stores of all
  /// types.
  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType] + AtomicFiles.types, [1, 0])
  func whatComesBackAgreesWithItsMembers(type: String, owners: Int) throws {
    let (owner, member) = (entity("Owner", [attribute("name")]), entity("Member"))
    let members = relationship("members", to: member, max: 0)
    members.deleteRule = .noActionDeleteRule
    let back = relationship("owner", to: owner, max: owners)
    link(members, back)
    owner.properties += [members]
    member.properties = [attribute("name"), back]
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(of: [owner, member]))
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("store"))
    let (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    mine.mergePolicy = NSMergePolicy.overwrite
    let one = SmallModel.new("Owner", ["name": "1"], in: theirs)
    let other = SmallModel.new("Member", ["name": "a"], in: theirs)
    one.addObject(other, toRelationshipNamed: "members")
    try theirs.save()
    let old = try mine.existingObject(with: one.objectID)
    #expect(old["name"] as? String == "1")
    theirs.delete(one)
    try theirs.save()
    old["name"] = "back"
    try mine.save()
    let reader = TestStore.context(coordinator)
    let (again, its) = (
      try reader.existingObject(with: old.objectID), try reader.existingObject(with: other.objectID)
    )
    #expect(again["name"] as? String == "back")
    // The rows of a many-to-many relationship went with the deleted one.
    #expect(count(again, "members") == owners)
    let led =
      owners == 1
      ? (its["owner"] as? NSManagedObject).map { [$0] }
      : (its["owner"] as? Set<NSManagedObject>).map(Array.init)
    #expect(led ?? [] == (owners == 1 ? [again] : []))
  }
}
