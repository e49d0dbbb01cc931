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
