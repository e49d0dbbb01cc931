import DataModels
import Foundation
import ManagedObjects
import Testing

/// User dictionaries of open classes that are modified through their own contents: this used to trap.
@Suite struct AmendingTests {
  @Test func notesOfMappingsAndManagers() {
    let manager = NSMigrationManager(
      sourceModel: NSManagedObjectModel(), destinationModel: NSManagedObjectModel())
    let (entity, property) = (NSEntityMapping(), NSPropertyMapping())
    manager.userInfo = ["count": 1]
    entity.userInfo = ["count": 2]
    property.userInfo = ["count": 3]
    manager.userInfo?["count"] = (manager.userInfo?["count"] as? Int ?? 0) + 1
    entity.userInfo?["count"] = (entity.userInfo?["count"] as? Int ?? 0) + 1
    property.userInfo?["count"] = (property.userInfo?["count"] as? Int ?? 0) + 1
    #expect(manager.userInfo?["count"] as? Int == 2)
    #expect(entity.userInfo?["count"] as? Int == 3)
    #expect(property.userInfo?["count"] as? Int == 4)
  }

  @Test func valuesOfBatches() {
    let update = NSBatchUpdateRequest(entityName: "Item")
    update.propertiesToUpdate = ["price": 1]
    update.propertiesToUpdate?["price"] = (update.propertiesToUpdate?["price"] as? Int ?? 0) + 1
    #expect(update.propertiesToUpdate?["price"] as? Int == 2)
    let insertion = NSBatchInsertRequest(entityName: "Item", objects: [["price": 1]])
    insertion.objectsToInsert?[0]["price"] = insertion.objectsToInsert?.count
    #expect(insertion.objectsToInsert?[0]["price"] as? Int == 1)
  }
}
