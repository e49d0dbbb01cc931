import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport

import class PredicateFormat.NSExpression

@_spi(Engines) @testable import ManagedObjects

/// A store with a bit of everything: an entity hierarchy, every kind of relationship, a constraint, external values,
/// a derived attribute, history.
enum ClubModel {
  /// `Party` (abstract) ← `Person`, `Firm`; `Person.employer` → `Firm`, `.mentor` → `Party`, `.passport` ↔
  /// `Passport.holder`, `.clubs` ↔ `Club.members`; `Club.topics` ↔ `Topic.club`, ordered; `Tag.name` is unique.
  static func make() -> NSManagedObjectModel {
    let (party, person, firm) = (entity("Party"), entity("Person"), entity("Firm"))
    let (passport, club, topic, tag) = (
      entity("Passport"), entity("Club"), entity("Topic"), entity("Tag")
    )
    party.isAbstract = true
    party.subentities = [person, firm]

    let staff = relationship("staff", to: person, max: 0)
    let employer = relationship("employer", to: firm, max: 1)
    link(staff, employer)
    let mentor = relationship("mentor", to: party, max: 1)
    let students = relationship("students", to: person, max: 0)
    link(mentor, students)
    let document = relationship("passport", to: passport, max: 1)
    let holder = relationship("holder", to: person, max: 1)
    link(document, holder)
    let clubs = relationship("clubs", to: club, max: 0)
    let members = relationship("members", to: person, max: 0)
    members.isOptional = false
    members.minCount = 1
    link(clubs, members)
    let topics = relationship("topics", to: topic, max: 0)
    topics.isOrdered = true
    let home = relationship("club", to: club, max: 1)
    link(topics, home)

    let picture = attribute("picture", .binaryDataAttributeType)
    picture.allowsExternalBinaryDataStorage = true
    let title = attribute("name", .stringAttributeType, optional: false)
    title.preservesValueInHistoryOnDeletion = true
    party.properties = [title, students]
    let size = NSDerivedAttributeDescription()
    size.name = "size"
    size.type = .integer64
    size.derivationExpression = NSExpression(format: "staff.@count")
    firm.properties = [attribute("founded", .dateAttributeType), staff, size]
    person.properties = [
      attribute("age", .integer16AttributeType),
      attribute("isActive", .booleanAttributeType),
      attribute("code", .UUIDAttributeType), picture, employer, mentor, document, clubs,
    ]
    passport.properties = [attribute("number", .stringAttributeType), holder]
    club.properties = [
      attribute("name", .stringAttributeType), attribute("fee", .decimalAttributeType),
      members, topics,
    ]
    topic.properties = [attribute("text", .stringAttributeType), home]
    tag.properties = [attribute("name", .stringAttributeType)]
    tag.uniquenessConstraints = [["name"]]
    return NSManagedObjectModel(of: [party, person, firm, passport, club, topic, tag])
  }

  /// Creates a store with objects of every entity, and closes it.
  static func fill(_ url: URL) throws {
    let coordinator = try TestStore.coordinator(
      make(), at: url, options: [NSPersistentHistoryTrackingKey: true])
    let context = TestStore.context(coordinator)
    context.transactionAuthor = "tests"
    func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        object.setValue(value, forKey: key)
      }
      return object
    }
    let firm = insert(
      "Firm", ["name": "Acme", "founded": Date(timeIntervalSinceReferenceDate: -0.5)])
    let ada = insert(
      "Person",
      [
        "name": "Ada, \"the\" first", "age": 36, "isActive": true, "employer": firm,
        "mentor": firm, "picture": Data([1, 2, 3]),
        "code": UUID(uuidString: "0F9619FF-8B86-D011-B42D-00C04FC964FF") as Any,
      ])
    let bob = insert(
      "Person",
      [
        "name": "Bob\nB", "age": 20, "employer": firm, "mentor": ada,
        "picture": Data(repeating: 7, count: 150_000),
      ])
    _ = insert("Passport", ["number": "P1", "holder": ada])
    _ = insert("Passport", ["number": "P2", "holder": bob])
    let club = insert("Club", ["name": "Chess", "fee": Decimal(string: "12.5") as Any])
    ada.mutableSetValue(forKey: "clubs").add(club)
    bob.mutableSetValue(forKey: "clubs").add(club)
    for text in ["second", "first"] {
      _ = insert("Topic", ["text": text, "club": club])
    }
    _ = insert("Tag", ["name": "red"])
    let gone = insert("Tag", ["name": "green"])
    try context.save()
    ada.setValue(37, forKey: "age")
    context.delete(gone)
    try context.save()
  }
}
