import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Rare kinds of relationships and attributes.
@Suite struct RareRelationshipTests {
  @Test func anOrderedRelationshipMayBeItsOwnInverse() throws {
    let folder = try TemporaryFolder()
    let person = entity("Person")
    let peers = relationship("peers", to: person, max: 0, ordered: true)
    peers.inverseRelationship = peers
    person.properties = [attribute("name", .stringAttributeType), peers]
    let model = NSManagedObjectModel(of: [person])
    let coordinator = try Library.coordinator(folder.file("People.sqlite"), model)
    let context = TestStore.context(coordinator)
    let people = ["a", "b", "c", "d"].map { Library.new("Person", ["name": $0], in: context) }
    people[0]["peers"] = NSOrderedSet(array: [people[3], people[1], people[2]])
    people[1].mutableOrderedSetValue(forKey: "peers").insert(people[3], at: 0)
    try context.save()
    func names(_ name: String) throws -> [String] {
      let reader = TestStore.context(coordinator)
      let person = try #require(
        try Library.all("Person", "name == %@", [name], in: reader).first)
      return (person["peers"] as? NSOrderedSet)?.array
        .compactMap { ($0 as? NSManagedObject)?["name"] as? String } ?? []
    }
    #expect(try names("a") == ["d", "b", "c"])
    #expect(try names("b") == ["d", "a"])
    #expect(try names("d") == ["a", "b"])
    people[0].mutableOrderedSetValue(forKey: "peers").moveObjects(
      at: IndexSet(integer: 2), to: 0)
    try context.save()
    #expect(try names("a") == ["c", "d", "b"])
    #expect(try names("b") == ["d", "a"])
  }

  /// An object that another context deletes is saved again, with the members it had: they haven't changed, and still have
  /// a place for it.
  @Test func membersOfWhatIsPutBackHaveAPlaceForIt() throws {
    let folder = try TemporaryFolder()
    let person = entity("Person")
    let peers = relationship("peers", to: person, max: 0, ordered: true)
    peers.deleteRule = .noActionDeleteRule
    peers.inverseRelationship = peers
    person.properties = [attribute("name", .stringAttributeType), peers]
    let file = folder.file("People.sqlite")
    let coordinator = try Library.coordinator(file, NSManagedObjectModel(of: [person]))
    let (mine, theirs) = (
      SmallModel.context(coordinator, .overwriteMergePolicyType), TestStore.context(coordinator)
    )
    let people = ["a", "b", "c"].map { Library.new("Person", ["name": $0], in: theirs) }
    people[0]["peers"] = NSOrderedSet(object: people[1])
    try theirs.save()
    let (b, c) = (mine.object(with: people[1].objectID), mine.object(with: people[2].objectID))
    #expect((b["peers"] as? NSOrderedSet)?.count == 1)
    c.mutableOrderedSetValue(forKey: "peers").add(b)
    theirs.delete(people[1])
    try theirs.save()
    try mine.save()
    #expect(try StoreCheck.findings(at: file) == [])
    let reader = TestStore.context(coordinator)
    let a = try #require(try Library.all("Person", "name == 'a'", in: reader).first)
    let names = (a["peers"] as? NSOrderedSet)?.array.map {
      ($0 as? NSManagedObject)?["name"] as? String
    }
    #expect(names == ["b"])
  }
}

/// Composite attributes by key paths.
@Suite struct CompositeKeyPathTests {
  @Test func elementsAreSetByTheirPath() throws {
    let folder = try TemporaryFolder()
    let person = entity("Person")
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.elements = [attribute("lat", .doubleAttributeType)]
    let address = NSCompositeAttributeDescription()
    (address.name, address.isOptional) = ("address", true)
    address.elements = [
      attribute("city", .stringAttributeType),
      attribute("zip", .stringAttributeType), place,
    ]
    let boss = relationship("boss", to: person, max: 1)
    let staff = relationship("staff", to: person, max: 0)
    link(boss, staff)
    person.properties = [attribute("name", .stringAttributeType), address, boss, staff]
    let model = NSManagedObjectModel(of: [person])
    let coordinator = try Library.coordinator(folder.file("People.sqlite"), model)
    let context = TestStore.context(coordinator)
    let ada = Library.new("Person", ["name": "Ada"], in: context)
    let bob = Library.new("Person", ["name": "Bob", "boss": ada], in: context)
    ada.setValue("Turin", forKeyPath: "address.city")
    ada.setValue("10100", forKeyPath: "address.zip")
    bob.setValue(45.1, forKeyPath: "boss.address.place.lat")
    ada.setValue("Rome", forKeyPath: "staff.address.city")
    bob.setValue("nowhere", forKeyPath: "boss.boss.address.city")
    try context.save()
    ada.setValue(nil, forKeyPath: "address.zip")
    try context.save()
    let reader = TestStore.context(coordinator)
    let same = try #require(try Library.all("Person", "name == 'Ada'", in: reader).first)
    #expect(same.value(forKeyPath: "address.city") as? String == "Turin")
    #expect(same.value(forKeyPath: "address.zip") == nil)
    #expect(same.value(forKeyPath: "address.place.lat") as? Double == 45.1)
    let other = try #require(try Library.all("Person", "name == 'Bob'", in: reader).first)
    #expect(other.value(forKeyPath: "address.city") as? String == "Rome")
  }
}
