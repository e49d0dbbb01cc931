import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import Testing

@testable import ManagedObjects

/// Options of fetch requests.
@Suite struct FetchOptionTests {
  private func contexts() throws -> (NSManagedObjectContext, NSManagedObjectContext) {
    let coordinator = try Company.container().persistentStoreCoordinator
    func context() -> NSManagedObjectContext {
      return TestStore.context(coordinator)
    }
    return (context(), context())
  }

  private func request() -> NSFetchRequest<PersonMO> {
    let request = NSFetchRequest<PersonMO>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return request
  }

  @Test func objectsInMemoryKeepTheirValuesUnlessAskedOtherwise() throws {
    let (mine, theirs) = try contexts()
    let person = insert(PersonMO.self, "Person", mine)
    person.name = "old"
    try mine.save()
    (theirs.object(with: person.objectID) as? PersonMO)?.name = "new"
    try theirs.save()
    let request = request()
    #expect(try mine.fetch(request).map(\.name) == ["old"])
    request.shouldRefreshRefetchedObjects = true
    #expect(try mine.fetch(request).map(\.name) == ["new"])
  }

  @Test func rowsDecideWhatIsFoundNotEarlierValues() throws {
    let (mine, theirs) = try contexts()
    let person = insert(PersonMO.self, "Person", mine)
    person.name = "old"
    let company = insert(CompanyMO.self, "Company", mine)
    company.name = "old"
    person.employer = company
    try mine.save()
    (theirs.object(with: person.objectID) as? PersonMO)?.name = "new"
    (theirs.object(with: company.objectID) as? CompanyMO)?.name = "new"
    try theirs.save()
    let request = request()
    for key in ["name", "employer.name"] {
      request.predicate = NSPredicate(format: "%K == 'new'", key)
      #expect(try mine.fetch(request).first === person)
      #expect(try mine.count(for: request) == 1)
      request.predicate = NSPredicate(format: "%K == 'old'", key)
      #expect(try mine.fetch(request).isEmpty)
    }
    // Unsaved values stay, and other writers' rows are current.
    #expect(person.name == "old")
    company.name = "mine"
    request.predicate = NSPredicate(format: "employer.name == 'new'")
    #expect(try mine.fetch(request).first === person)
    person.name = "mine"
    request.predicate = NSPredicate(format: "name == 'mine' AND employer.name == 'mine'")
    #expect(try mine.fetch(request).first === person)
  }

  @Test func faultsOrWholeObjects() throws {
    let (writer, reader) = try contexts()
    for name in ["a", "b"] { insert(PersonMO.self, "Person", writer).name = name }
    try writer.save()
    let request = NSFetchRequest<PersonMO>(entityName: "Person")
    #expect(try reader.fetch(request).map(\.isFault) == [true, true])
    request.returnsObjectsAsFaults = false
    let found = try reader.fetch(request)
    #expect(found.map(\.isFault) == [false, false])
    #expect(found.map(\.events) == [["fetch"], ["fetch"]])
  }

  @Test func identitiesAndCountsSeeUnsavedChanges() throws {
    let (context, _) = try contexts()
    let people = ["a", "b", "c"].map { name in
      let person = insert(PersonMO.self, "Person", context)
      person.name = name
      return person
    }
    try context.save()
    people[0].name = "x"
    context.delete(people[1])
    let new = insert(PersonMO.self, "Manager", context)
    new.name = "d"
    let identities = NSFetchRequest<NSManagedObjectID>(request())
    identities.resultType = .managedObjectIDResultType
    #expect(
      try context.fetch(identities) == [people[2].objectID, new.objectID, people[0].objectID])
    identities.predicate = NSPredicate(format: "name IN {'a', 'b', 'd'}")
    #expect(try context.fetch(identities) == [new.objectID])
    #expect(try context.count(for: identities) == 1)
    identities.includesPendingChanges = false
    #expect(try Set(context.fetch(identities)).count == 2)
  }

  @Test func policiesTellObjectsThatTheyMerged() throws {
    let (mine, theirs) = try contexts()
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let entity = try #require(NSEntityDescription.entity(forEntityName: "Person", in: mine))
    let person = WatchfulMO(entity: entity, insertInto: mine)
    person["name"] = "a"
    try mine.save()
    theirs.object(with: person.objectID)["age"] = 30
    try theirs.save()
    person["name"] = "b"
    try mine.save()
    #expect(person.heard == [.mergePolicy])
    #expect(person["age"] as? Int == 30)
    // A change made by the policy leaves no state that hides the next one.
    person["name"] = "c"
    #expect(person.isUpdated)
    try mine.save()
    theirs.refreshAllObjects()
    #expect(theirs.object(with: person.objectID)["name"] as? String == "c")
  }
}
