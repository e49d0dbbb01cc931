import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import Testing

@testable import ManagedObjects

/// Entities and properties where programs look them up, and what they report.
@Suite struct RequestEntityTests {
  @Test func aNamedRequestHasItsEntityOnceItWasUsed() throws {
    let context = try Company.context()
    let request = NSFetchRequest<PersonMO>(entityName: "Person")
    #expect(request.entity == nil)
    _ = try context.fetch(request)
    #expect(
      request.entity
        === context.persistentStoreCoordinator?.managedObjectModel
        .entitiesByName["Person"])
    // A context of another model resolves it by its name.
    #expect(try Company.context().count(for: request) == 0)
    request.entity = nil
    #expect(request.entity == nil)
  }

  @Test func aClassOfNoEntityHasANamelessOne() {
    #expect(Stranger.entity().name == nil)
    #expect(Stranger.entity().properties.isEmpty)
  }

  @Test func aPrimitiveValueAloneIsNoChange() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    person.name = "a"
    try context.save()
    person.setPrimitiveValue("b", forKey: "name")
    #expect(person.name == "b")
    #expect(person.changedValues().isEmpty)
    #expect(!person.hasPersistentChangedValues)
    #expect(!context.hasChanges)
    person.pay = 2
    #expect(Set(person.changedValues().keys) == ["name", "pay"])
    #expect(person.hasPersistentChangedValues)
  }

  @Test func aFetchedPropertyAsksItsOwnNotes() throws {
    let model = Company.model()
    let similar = NSFetchedPropertyDescription()
    similar.name = "similar"
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Company")
    request.predicate = NSPredicate(format: "name == $FETCHED_PROPERTY.userInfo.search")
    similar.fetchRequest = request
    similar.userInfo = ["search": "a"]
    let person = try #require(model.entitiesByName["Person"])
    request.entity = model.entitiesByName["Company"]
    person.properties.append(similar)
    CompanyMO.register()
    PersonMO.register()
    let coordinator = try TestStore.coordinator(model)
    let context = TestStore.context(coordinator)
    for name in ["a", "b", "b"] { insert(CompanyMO.self, "Company", context).name = name }
    let object = insert(PersonMO.self, "Person", context)
    try context.save()
    #expect((object["similar"] as? [NSManagedObject])?.count == 1)
    // The model is in use, but its user info may still change.
    similar.userInfo?["search"] = "b"
    #expect((object["similar"] as? [NSManagedObject])?.count == 2)
  }
}

/// A class that no model mentions.
final class Stranger: NSManagedObject {}
