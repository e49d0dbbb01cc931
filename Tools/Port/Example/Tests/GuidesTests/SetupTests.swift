import CoreData
import XCTest

/// "Setting up a Core Data stack", with and without a container, and store descriptions.
final class SetupTests: GuideTestCase {
  private final class GuideContainer: NSPersistentContainer, @unchecked Sendable {
    override class func defaultDirectoryURL() -> URL {
      super.defaultDirectoryURL().appendingPathComponent("Guides")
    }
  }

  func testTheStackSavesAndDeletes() throws {
    let stack = stack()
    let trip = Trip(context: stack.viewContext)
    trip.name = "Oslo"
    XCTAssertTrue(trip.objectID.isTemporaryID)
    stack.save()
    XCTAssertFalse(trip.objectID.isTemporaryID)
    XCTAssertEqual(try stack.viewContext.fetch(Trip.fetchRequest()), [trip])
    stack.delete(item: trip)
    XCTAssertEqual(try stack.viewContext.count(for: Trip.fetchRequest()), 0)
  }

  func testAStackWithoutAContainer() throws {
    let model = try XCTUnwrap(NSManagedObjectModel.mergedModel(from: [Bundle.module]))
    XCTAssertEqual(model.entitiesByName.keys.sorted(), ["LogEntry", "Place", "Trip"])
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let url = folder.appendingPathComponent("Own.sqlite")
    let store = try coordinator.addPersistentStore(
      type: .sqlite, configuration: nil, at: url,
      options: [NSMigratePersistentStoresAutomaticallyOption: true])
    XCTAssertEqual(store.url, url)
    XCTAssertEqual(store.type, NSSQLiteStoreType)
    let context = NSManagedObjectContext(.mainQueue)
    context.persistentStoreCoordinator = coordinator
    let entity = try XCTUnwrap(NSEntityDescription.entity(forEntityName: "Trip", in: context))
    let trip = Trip(entity: entity, insertInto: context)
    trip.name = "Bergen"
    try context.save()
    let uri = trip.objectID.uriRepresentation()
    let id = try XCTUnwrap(coordinator.managedObjectID(forURIRepresentation: uri))
    XCTAssertIdentical(try context.existingObject(with: id), trip)
    coordinator.setMetadata(
      coordinator.metadata(for: store).merging(["Guide": 3]) { $1 }, for: store)
    try context.save()
    try coordinator.remove(store)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite, at: url)
    XCTAssertEqual(metadata["Guide"] as? Int, 3)
    XCTAssertTrue(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    try coordinator.destroyPersistentStore(at: url, type: .sqlite)
  }

  func testDescriptions() throws {
    let stack = stack { description in
      description.shouldAddStoreAsynchronously = false
      description.timeout = 30
      description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
      description.setOption(true as NSNumber, forKey: NSSQLiteAnalyzeOption)
    }
    _ = Trip(context: stack.viewContext)
    stack.save()
    let store = try XCTUnwrap(
      stack.persistentContainer.persistentStoreCoordinator.persistentStores.first)
    XCTAssertEqual(
      (store.options?[NSSQLitePragmasOption] as? [String: Any])?["journal_mode"] as? String,
      "DELETE")
    XCTAssertFalse(
      FileManager.default.fileExists(
        atPath: folder.appendingPathComponent("Trips.sqlite-wal").path))
    let reader = TripStack(url: folder.appendingPathComponent("Trips.sqlite")) {
      $0.isReadOnly = true
      XCTAssertEqual($0.type, NSSQLiteStoreType)
      XCTAssertTrue($0.shouldInferMappingModelAutomatically)
    }
    XCTAssertEqual(try reader.viewContext.count(for: Trip.fetchRequest()), 1)
    _ = Trip(context: reader.viewContext)
    XCTAssertThrowsError(try reader.viewContext.save())
  }

  func testAStoreForEachConfiguration() throws {
    let container = NSPersistentContainer(name: "Trips", managedObjectModel: TripStack.model)
    let travel = NSPersistentStoreDescription(url: folder.appendingPathComponent("Travel.sqlite"))
    travel.configuration = "Travel"
    let journal = NSPersistentStoreDescription()
    journal.type = NSInMemoryStoreType
    journal.configuration = "Journal"
    container.persistentStoreDescriptions = [travel, journal]
    let loaded = expectation(description: "loaded")
    loaded.expectedFulfillmentCount = 2
    container.loadPersistentStores { _, error in
      XCTAssertNil(error)
      loaded.fulfill()
    }
    wait(for: [loaded], timeout: 10)
    let context = container.viewContext
    let entry = LogEntry(context: context)
    entry.text = "left"
    let trip = Trip(context: context)
    try context.save()
    XCTAssertEqual(entry.objectID.persistentStore?.type, NSInMemoryStoreType)
    XCTAssertEqual(trip.objectID.persistentStore?.configurationName, "Travel")
    let request = LogEntry.fetchRequest()
    request.affectedStores = container.persistentStoreCoordinator.persistentStores.filter {
      $0.configurationName == "Journal"
    }
    XCTAssertEqual(try context.fetch(request), [entry])
  }

  func testWhereAContainerKeepsItsStores() {
    XCTAssertEqual(GuideContainer.defaultDirectoryURL().lastPathComponent, "Guides")
    let container = GuideContainer(name: "Trips", managedObjectModel: TripStack.model)
    XCTAssertEqual(
      container.persistentStoreDescriptions.first?.url,
      GuideContainer.defaultDirectoryURL().appendingPathComponent("Trips.sqlite"))
  }
}
