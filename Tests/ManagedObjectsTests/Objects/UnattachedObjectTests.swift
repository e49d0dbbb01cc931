import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects that are related to each other before they have a context.
@Suite struct UnattachedObjectTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let (staff, firm) = (
      SmallModel.relationship("staff", many: true), SmallModel.relationship("firm")
    )
    let firms = SmallModel.entity("Firm", [SmallModel.text("name"), staff])
    let person = SmallModel.entity("Person", [SmallModel.text("name"), firm])
    SmallModel.link((staff, of: firms), (firm, of: person))
    coordinator = try SmallModel.coordinator(
      SmallModel.model(firms, person), folder.file("a.sqlite"))
    context = SmallModel.context(coordinator)
  }

  private func make(_ entity: String) throws -> NSManagedObject {
    let found = try #require(coordinator.managedObjectModel.entitiesByName[entity])
    return NSManagedObject(entity: found, insertInto: nil)
  }

  /// A member that isn't inserted would be lost.
  @Test func aMemberThatIsNotInsertedIsAnError() throws {
    let (firm, person) = (try make("Firm"), try make("Person"))
    firm["staff"] = NSSet(object: person)
    context.insert(firm)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectValidationError)
    context.insert(person)
    try context.save()
    #expect(try SmallModel.all("Person", SmallModel.context(coordinator)).count == 1)
    #expect(person["firm"] as? NSManagedObject === firm)
  }

  /// An object leads to the one that it was related to, inserted or not.
  @Test func whatIsInsertedFirstKeepsItsDestination() throws {
    let (firm, person) = (try make("Firm"), try make("Person"))
    firm["name"] = "first"
    person["firm"] = firm
    context.insert(person)
    #expect(person["firm"] as? NSManagedObject === firm)
    #expect(person.value(forKeyPath: "firm.name") as? String == "first")
    (person["firm"] as? NSManagedObject)?["name"] = "changed"
    let other = SmallModel.new("Firm", ["name": "other"], in: context)
    let second = try make("Person")
    second["firm"] = firm
    context.insert(second)
    second["firm"] = other
    #expect((firm["staff"] as? NSSet)?.count == 1)
    context.insert(firm)
    try context.save()
    context.refreshAllObjects()
    #expect(person.value(forKeyPath: "firm.name") as? String == "changed")
    #expect(second.value(forKeyPath: "firm.name") as? String == "other")
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }
}
