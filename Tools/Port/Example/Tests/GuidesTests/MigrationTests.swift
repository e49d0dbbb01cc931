import CoreData
import XCTest

/// "Migrating your data model automatically", and staged migration.
final class MigrationTests: GuideTestCase {
  private func model(_ name: String) throws -> NSManagedObjectModel {
    let momd = try XCTUnwrap(Bundle.module.url(forResource: "Trips", withExtension: "momd"))
    let url = momd.appendingPathComponent("\(name).mom")
    return try XCTUnwrap(NSManagedObjectModel(contentsOf: url))
  }

  private var storeURL: URL { folder.appendingPathComponent("Trips.sqlite") }

  /// Creates a store of the first version.
  private func makeOldStore() throws {
    let model = try model("Trips")
    // The class matches only the last version.
    for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for (name, destination, days) in [("a", "Oslo", 3), ("b", "Voss", 1), ("c", "Oslo", 5)] {
      let trip = NSEntityDescription.insertNewObject(forEntityName: "Trip", into: context)
      trip.setValuesForKeys(["name": name, "destination": destination, "days": days])
    }
    try context.save()
    try coordinator.remove(store)
  }

  func testLightweightMigration() throws {
    try makeOldStore()
    let (source, target) = (try model("Trips"), try model("Trips 2"))
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: storeURL, options: nil)
    XCTAssertTrue(source.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    XCTAssertFalse(target.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: source, destinationModel: target)
    XCTAssertEqual(mapping.entityMappings.map(\.mappingType), [.transformEntityMappingType])

    let container = NSPersistentContainer(name: "Trips", managedObjectModel: target)
    let description = NSPersistentStoreDescription(url: storeURL)
    description.shouldMigrateStoreAutomatically = true
    description.shouldInferMappingModelAutomatically = true
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in XCTAssertNil(error) }
    let request = NSFetchRequest<NSDictionary>(entityName: "Trip")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["name", "length", "note"]
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let rows = try container.viewContext.fetch(request)
    XCTAssertEqual(rows.map { $0["length"] as? Int }, [3, 1, 5])
  }

  func testAManagerMigratesToAnotherFile() throws {
    try makeOldStore()
    let (source, target) = (try model("Trips"), try model("Trips 2"))
    let manager = NSMigrationManager(sourceModel: source, destinationModel: target)
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: source, destinationModel: target)
    let new = folder.appendingPathComponent("New.sqlite")
    try manager.migrateStore(
      from: storeURL, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: target)
    try coordinator.replacePersistentStore(
      at: storeURL, withPersistentStoreFrom: new, type: .sqlite)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite, at: storeURL)
    XCTAssertTrue(target.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
  }

  func testStages() throws {
    try makeOldStore()
    let checksums = try ["Trips", "Trips 2", "Trips 3"].map { try model($0).versionChecksum }
    let versions = zip(["Trips", "Trips 2", "Trips 3"], checksums).map { name, checksum in
      NSManagedObjectModelReference(name: name, in: .module, versionChecksum: checksum)
    }
    let renaming = NSLightweightMigrationStage([checksums[0]])
    renaming.label = "days become length"
    let places = NSCustomMigrationStage(migratingFrom: versions[1], to: versions[2])
    places.label = "destinations become places"
    var destinations: [String: String] = [:]
    places.willMigrateHandler = { manager, stage in
      guard let container = manager.container else { return }
      XCTAssertEqual(stage.label, "destinations become places")
      let context = container.newBackgroundContext()
      try context.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Trip")
        for trip in try context.fetch(request) {
          guard let name = trip.value(forKey: "name") as? String,
            let destination = trip.value(forKey: "destination") as? String
          else { continue }
          destinations[name] = destination
        }
      }
    }
    places.didMigrateHandler = { manager, _ in
      guard let container = manager.container else { return }
      let context = container.newBackgroundContext()
      try context.performAndWait {
        var made: [String: NSManagedObject] = [:]
        for trip in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Trip")) {
          guard let name = trip.value(forKey: "name") as? String, let place = destinations[name]
          else { continue }
          let object =
            made[place]
            ?? NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
          object.setValue(place, forKey: "name")
          made[place] = object
          trip.setValue(object, forKey: "place")
        }
        try context.save()
      }
    }
    let manager = NSStagedMigrationManager([renaming, places])
    let stack = stack { description in
      description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
    }
    let request = Place.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Place.name, ascending: true)]
    let found = try stack.viewContext.fetch(request)
    XCTAssertEqual(found.map(\.name), ["Oslo", "Voss"])
    XCTAssertEqual(found.map { $0.trips?.count }, [2, 1])
    let lengths = found.first?.value(forKeyPath: "trips.@sum.length") as? Int
    XCTAssertEqual(lengths, 8)
  }
}
