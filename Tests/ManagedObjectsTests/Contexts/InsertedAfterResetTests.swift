import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects that were never saved, and are inserted again after a reset has taken their values.
@Suite struct InsertedAfterResetTests {
  private func coordinator() throws -> NSPersistentStoreCoordinator {
    let count = SmallModel.number("count")
    count.defaultValue = 7
    let (staff, firm) = (
      SmallModel.relationship("staff", many: true), SmallModel.relationship("firm")
    )
    let firms = SmallModel.entity("Firm", [SmallModel.text("name"), count, staff])
    let person = SmallModel.entity("Person", [SmallModel.text("name"), firm])
    SmallModel.link((staff, of: firms), (firm, of: person))
    return try TestStore.coordinator(SmallModel.model(firms, person))
  }

  @Test(arguments: [false, true]) func theyAreNew(haveIDs: Bool) throws {
    let coordinator = try coordinator()
    let context = SmallModel.context(coordinator)
    let firm = SmallModel.new("Firm", ["name": "lost", "count": 1], in: context)
    if haveIDs { try context.obtainPermanentIDs(for: [firm]) }
    context.reset()
    context.insert(firm)
    #expect(firm["name"] == nil)
    #expect(firm["count"] as? Int == 7)
    firm["name"] = "kept"
    let person = SmallModel.new("Person", ["name": "Ada", "firm": firm], in: context)
    #expect(SmallModel.names(firm, "staff") == ["Ada"])
    try context.save()
    #expect(!firm.objectID.isTemporaryID && !person.objectID.isTemporaryID)
    let reader = SmallModel.context(coordinator)
    let found = try #require(try SmallModel.all("Firm", reader).first)
    #expect(found["name"] as? String == "kept" && found["count"] as? Int == 7)
    #expect(SmallModel.names(found, "staff") == ["Ada"])
  }

  /// A refresh takes back what was never saved, as a reset does.
  @Test func theyAreNewAfterARefresh() throws {
    let coordinator = try coordinator()
    let context = SmallModel.context(coordinator)
    let firm = SmallModel.new("Firm", ["name": "lost", "count": 1], in: context)
    context.refresh(firm, mergeChanges: false)
    context.insert(firm)
    #expect(!firm.isDeleted && firm.isInserted)
    #expect(firm["name"] == nil && firm["count"] as? Int == 7)
    firm["name"] = "kept"
    try context.save()
    let reader = SmallModel.context(coordinator)
    #expect(try SmallModel.all("Firm", reader).map { $0["name"] as? String } == ["kept"])
  }

  /// A saved object has a row, and nothing to be inserted.
  @Test(arguments: [NSMergePolicyType.errorMergePolicyType, .overwriteMergePolicyType])
  func whatWasSavedIsAsItWas(policy: NSMergePolicyType) throws {
    let coordinator = try coordinator()
    let context = SmallModel.context(coordinator, policy)
    let firm = SmallModel.new("Firm", ["name": "saved", "count": 1], in: context)
    let person = SmallModel.new("Person", ["name": "Ada", "firm": firm], in: context)
    try context.save()
    context.reset()
    context.insert(person)
    #expect(!context.hasChanges && person.managedObjectContext === context)
    #expect((person["firm"] as? NSManagedObject)?.objectID == firm.objectID)
    person["name"] = "Eve"
    try context.save()
    let reader = SmallModel.context(coordinator)
    let found = try #require(try SmallModel.all("Person", reader).first)
    #expect(found["name"] as? String == "Eve")
    #expect((found["firm"] as? NSManagedObject)?["name"] as? String == "saved")
  }

  @Test func theyAreNewInAChild() throws {
    let coordinator = try coordinator()
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let firm = SmallModel.new("Firm", ["name": "lost"], in: child)
    child.reset()
    child.insert(firm)
    firm["name"] = "kept"
    try child.save()
    try parent.performAndWait { try parent.save() }
    let reader = SmallModel.context(coordinator)
    let found = try SmallModel.all("Firm", reader)
    #expect(found.map { $0["name"] as? String } == ["kept"])
  }
}
