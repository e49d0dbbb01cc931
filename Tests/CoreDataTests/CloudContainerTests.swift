import CoreData
import Foundation
import Testing

@Suite struct CloudContainerTests {
  final class Container: NSPersistentCloudKitContainer, @unchecked Sendable {}

  // The context is the main queue's, which ends turns of its own.
  @MainActor @Test func `a container for iCloud is one for this system`() throws {
    let entity = NSEntityDescription()
    entity.name = "Thing"
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let container = Container(name: "Things", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
      containerIdentifier: "iCloud.org.example")
    #expect(description.cloudKitContainerOptions?.containerIdentifier == "iCloud.org.example")
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.viewContext
    let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    try context.save()
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Thing")) == 1)
    #expect(container.canUpdateRecord(forManagedObjectWith: thing.objectID))
    let error = #expect(throws: NSError.self) { try container.initializeCloudKitSchema() }
    #expect(error?.code == 134400)
    description.cloudKitContainerOptions = nil
    #expect(description.options.keys.allSatisfy { !$0.contains("CloudKit") })
  }
}
