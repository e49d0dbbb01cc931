import CoreData
import Foundation
import Testing

final class Guest: NSManagedObject {
  @Managed var name: String?
  @Managed var title: String
  @Managed var age: Int64
  @Managed var weight: Double
  @Managed var born: Date?
  @Managed var isMember: Bool
  @Managed var visits: Set<Visit>
  @Managed var host: Guest?
  @Managed var guests: NSSet?
  var line: String { "\(title) \(age)" }
}

final class Visit: NSManagedObject {
  @Managed var place: String?
  @Managed var nights: Int64
  @Managed var guest: Guest?
}

/// Objects of two classes, in a SQLite store.
func makeGuestBook() throws -> NSManagedObjectContext {
  func attribute(_ name: String, _ type: NSAttributeDescription.AttributeType)
    -> NSAttributeDescription
  {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.type, attribute.isOptional) = (name, type, true)
    return attribute
  }
  func relationship(_ name: String, to entity: NSEntityDescription, max: Int)
    -> NSRelationshipDescription
  {
    let relationship = NSRelationshipDescription()
    (relationship.name, relationship.destinationEntity, relationship.maxCount) = (name, entity, max)
    return relationship
  }
  let (guest, visit) = (NSEntityDescription(), NSEntityDescription())
  (guest.name, guest.managedObjectClassName) = ("Guest", "Guest")
  (visit.name, visit.managedObjectClassName) = ("Visit", "Visit")
  let pairs = [
    (relationship("visits", to: visit, max: 0), relationship("guest", to: guest, max: 1)),
    (relationship("guests", to: guest, max: 0), relationship("host", to: guest, max: 1)),
  ]
  for (many, one) in pairs { (many.inverseRelationship, one.inverseRelationship) = (one, many) }
  guest.properties = [
    attribute("name", .string), attribute("title", .string), attribute("age", .integer64),
    attribute("weight", .double), attribute("born", .date), attribute("isMember", .boolean),
    pairs[0].0, pairs[1].0, pairs[1].1,
  ]
  visit.properties = [attribute("place", .string), attribute("nights", .integer64), pairs[0].1]
  let model = NSManagedObjectModel()
  model.entities = [guest, visit]
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
  let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  context.persistentStoreCoordinator = coordinator
  return context
}

@Suite struct MacroTests {
  private let context: NSManagedObjectContext

  init() throws {
    context = try makeGuestBook()
    context.performAndWait {
      let ada = Guest(context: context)
      (ada.name, ada.title, ada.age, ada.weight, ada.isMember) = ("Ada", "Lady", 36, 50.5, true)
      ada.born = Date(timeIntervalSinceReferenceDate: 100)
      let bob = Guest(context: context)
      (bob.name, bob.title, bob.age, bob.weight) = ("Bob", "Mr", 17, 80)
      bob.isMember = false
      (bob.host, bob.born) = (ada, Date(timeIntervalSinceReferenceDate: 200))
      let none = Guest(context: context)
      (none.title, none.age, none.weight, none.host) = ("Dr", 60, 70, bob)
      for (guest, place, nights) in [(ada, "Rome", 3), (ada, "Oslo", 1), (bob, "Rome", 1)] {
        let visit = Visit(context: context)
        (visit.guest, visit.place, visit.nights) = (guest, place, Int64(nights))
      }
    }
  }

  /// Returns the titles that match a predicate, evaluated in memory and in SQL.
  private func found(_ predicate: Predicate<Guest>, _ format: String? = nil) throws -> [String] {
    let converted = try #require(NSPredicate(predicate))
    if let format { #expect(converted.canonicalFormat == format) }
    return try context.performAndWait {
      let request = NSFetchRequest<Guest>(entityName: "Guest")
      request.sortDescriptors = [NSSortDescriptor(keyPath: \Guest.title, ascending: true)]
      request.predicate = converted
      let unsaved = try context.fetch(request).map(\.title)
      try context.save()
      let saved = try context.fetch(request).map(\.title)
      #expect(unsaved == saved)
      return saved
    }
  }

  @Test func `comparisons, logic and constants`() throws {
    let limit: Int64 = 18
    #expect(
      try found(#Predicate { $0.age >= limit && $0.title != "Dr" }, #"age >= 18 AND title != "Dr""#)
        == ["Lady"])
    #expect(
      try found(#Predicate { $0.isMember || $0.name == nil }, "isMember == 1 OR name == nil")
        == ["Dr", "Lady"])
    #expect(try found(#Predicate { !$0.isMember && $0.name == "Bob" }) == ["Mr"])
    let sum = #Predicate<Guest> { $0.age + 1 == 37 || $0.weight / 2 == 40 }
    #expect(try found(sum) == ["Lady", "Mr"])
    let remainder = #Predicate<Guest> { $0.age % 10 == 7 }
    #expect(try found(remainder) == ["Mr"])
    let quotient = #Predicate<Guest> { $0.age / 10 == 1 }
    #expect(try found(quotient) == ["Mr"])
    let negative = #Predicate<Guest> { -$0.age < -40 }
    #expect(try found(negative) == ["Dr"])
    let born = Date(timeIntervalSinceReferenceDate: 150)
    #expect(try found(#Predicate { $0.born.flatMap { $0 > born } ?? false }) == ["Mr"])
    #expect(try found(#Predicate { _ in true }) == ["Dr", "Lady", "Mr"])
    let choice = #Predicate<Guest> { ($0.isMember ? $0.age : 0) == 36 }
    #expect(try found(choice) == ["Lady"])
  }

  @Test func `ranges and lists`() throws {
    let ages: [Int64] = [17, 60]
    #expect(try found(#Predicate { ages.contains($0.age) }, "age IN {17, 60}") == ["Dr", "Mr"])
    #expect(
      try found(#Predicate { (17...36).contains($0.age) }, "age BETWEEN {17, 36}") == [
        "Lady", "Mr",
      ])
    #expect(
      try found(#Predicate { (17..<36).contains($0.age) }, "age >= 17 AND age < 36") == ["Mr"])
    let old: PartialRangeFrom<Int64> = 40...
    #expect(try found(#Predicate { old.contains($0.age) }) == ["Dr"])
  }

  @Test func `texts`() throws {
    #expect(try found(#Predicate { $0.title.contains("a") }, #"title CONTAINS "a""#) == ["Lady"])
    #expect(
      try found(#Predicate { $0.title.starts(with: "M") }, #"title BEGINSWITH "M""#) == ["Mr"])
    #expect(try found(#Predicate { $0.title.count == 4 }) == ["Lady"])
    #expect(try found(#Predicate { !$0.title.isEmpty }) == ["Dr", "Lady", "Mr"])
    #expect(try found(#Predicate { $0.name?.contains("b") == true }) == ["Mr"])
    #expect(try found(#Predicate { ($0.name ?? "none") == "none" }) == ["Dr"])
  }

  @Test func `relationships`() throws {
    #expect(
      try found(#Predicate { $0.host?.name == "Ada" }, #"host.name == "Ada""#) == ["Mr"])
    #expect(try found(#Predicate { $0.host?.host?.name == "Ada" }) == ["Dr"])
    #expect(try found(#Predicate { $0.host == nil }) == ["Lady"])
    #expect(
      try found(#Predicate { $0.visits.contains { $0.place == "Rome" && $0.nights > 1 } })
        == ["Lady"])
    #expect(try found(#Predicate { $0.visits.allSatisfy { $0.place == "Rome" } }) == ["Dr", "Mr"])
    #expect(
      try found(#Predicate { $0.visits.filter { $0.nights == 1 }.count == 1 }) == ["Lady", "Mr"])
    #expect(try found(#Predicate { $0.visits.isEmpty }) == ["Dr"])
    #expect(try found(#Predicate { ($0.guests?.count ?? 0) > 0 }) == ["Lady", "Mr"])
  }

  @Test func `what has no counterpart gives nil`() {
    #expect(NSPredicate(#Predicate<Guest> { $0.title.contains(/[a-z]+/) }) == nil)
  }

  @Test func `expressions`() throws {
    let sum = try #require(NSExpression(#Expression<Guest, Int64> { $0.age * 2 }))
    #expect(sum.description == "age * 2")
    try context.performAndWait {
      try context.save()
      let described = NSExpressionDescription()
      (described.name, described.expression) = ("double", sum)
      described.expressionResultType = .integer64AttributeType
      let request = NSFetchRequest<NSDictionary>(entityName: "Guest")
      request.resultType = .dictionaryResultType
      request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Guest.age, order: .reverse))]
      request.propertiesToFetch = [described]
      #expect(
        try context.fetch(request).map { $0["double"] as? Int } == [120, 72, 34])
    }
  }

  @Test func `sort descriptors of Swift's sort by keys`() throws {
    #expect(NSSortDescriptor(SortDescriptor(\Guest.name)).key == "name")
    #expect(NSSortDescriptor(SortDescriptor(\Guest.age, order: .reverse)).ascending == false)
    #expect(
      NSSortDescriptor(SortDescriptor(\Guest.name, comparator: .lexical)).selector?.name
        == "compare:")
    try context.performAndWait {
      try context.save()
      let request = NSFetchRequest<Guest>(entityName: "Guest")
      request.sortDescriptors = [SortDescriptor(\Guest.name, comparator: .lexical, order: .reverse)]
        .map(NSSortDescriptor.init)
      #expect(try context.fetch(request).map(\.title) == ["Mr", "Lady", "Dr"])
    }
  }
}
