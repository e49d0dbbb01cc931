import CoreData
import Foundation
import Testing

@Suite struct CloudContainerTests {
  final class Container: NSPersistentCloudKitContainer, @unchecked Sendable {}

  @Test func `the store that a container describes itself has a history`() throws {
    let model = NSManagedObjectModel()
    let container = Container(name: "Things", managedObjectModel: model)
    let description = try #require(container.persistentStoreDescriptions.first)
    #expect(description.options[NSPersistentHistoryTrackingKey] as? NSNumber == true)
    description.url = URL(fileURLWithPath: "/dev/null")
    description.setOption(false as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    let own = NSPersistentStoreDescription()
    container.persistentStoreDescriptions.append(own)
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let coordinator = container.persistentStoreCoordinator
    #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
    #expect(own.options[NSPersistentHistoryTrackingKey] == nil)
  }

  @Test func `requests for events find none`() throws {
    typealias Request = NSPersistentCloudKitContainerEventRequest
    let context = try makeGuestBook()
    let fetch = Request.fetchForEvents()
    fetch.predicate = NSPredicate(format: "succeeded == YES")
    for request in [
      Request.fetchEvents(after: .distantPast), .fetchEvents(after: nil),
      .fetchEvents(matchingFetch: fetch),
    ] {
      let found = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
      #expect((found?.result as? [NSPersistentCloudKitContainer.Event])?.isEmpty == true)
      request.resultType = .countEvents
      let counted = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
      #expect(counted?.resultType == .countEvents)
      #expect(counted?.result as? [Int] == [0])
    }
  }

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
