import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Stores that are migrated when they are opened.
@Suite struct AutomaticMigrationTests {
  private func container(
    _ url: URL, _ model: NSManagedObjectModel
  ) -> (NSPersistentContainer, (any Error)?) {
    let container = NSPersistentContainer(name: "Events", managedObjectModel: model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    let outcome = Outcome()
    container.loadPersistentStores { _, error in outcome.error = error }
    return (container, outcome.error)
  }

  private final class Outcome: @unchecked Sendable { var error: (any Error)? }

  // MARK: Events and locations

  @Test @MainActor func aContainerMigratesByItself() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    let (first, failure) = container(url, EventModels.model())
    #expect(failure == nil)
    let context = first.viewContext
    let dates = (0..<5).map { Date(timeIntervalSinceReferenceDate: Double($0) + 0.5) }
    let place = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
    place["name"] = "Ulm"
    var keys: [URL] = []
    for date in dates {
      let event = NSEntityDescription.insertNewObject(forEntityName: "Event", into: context)
      (event["timestamp"], event["location"]) = (date, place)
    }
    try context.save()
    keys = (place["events"] as? Set<NSManagedObject> ?? []).map {
      $0.objectID.uriRepresentation()
    }.sorted { $0.path < $1.path }
    for store in first.persistentStoreCoordinator.persistentStores {
      try first.persistentStoreCoordinator.remove(store)
    }

    let (second, trouble) = container(url, EventModels.model(title: true))
    #expect(trouble == nil)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Event")
    request.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: true)]
    let events = try second.viewContext.fetch(request)
    #expect(events.map { $0["timestamp"] as? Date } == dates)
    #expect(events.allSatisfy { $0["title"] == nil })
    #expect(events.allSatisfy { ($0["location"] as? NSManagedObject)?["name"] as? String == "Ulm" })
    // Object IDs stored outside the program stay valid.
    #expect(events.map { $0.objectID.uriRepresentation() }.sorted { $0.path < $1.path } == keys)
    events.first?["title"] = "new"
    try second.viewContext.save()
    let checker = try StoreChecker(url, model: EventModels.model(title: true))
    #expect(try checker.findings() == [])
    #expect(try StoreFile(at: url.path).verify().isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
        !$0.hasPrefix("Events.sqlite")
      } == [])
  }

  @Test func withoutTheOptionsNothingMigrates() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let bytes = try Data(contentsOf: url)
    for (options, code) in [
      ([:] as [AnyHashable: Any], NSPersistentStoreIncompatibleVersionHashError),
      (
        [NSMigratePersistentStoresAutomaticallyOption: true], NSMigrationMissingMappingModelError
      ),
      (
        [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true, NSReadOnlyPersistentStoreOption: true,
        ], NSPersistentStoreIncompatibleVersionHashError
      ),
    ] {
      let error = #expect(throws: NSError.self) {
        try TestStore.migrate(url, to: EventModels.model(title: true), options: options)
      }
      #expect(error?.domain == NSCocoaErrorDomain)
      #expect(error?.code == code)
    }
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test func aStoreWithoutAKnownModelIsRefusedUnlessTheModelIsGiven() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.execute("DELETE FROM Z_MODELCACHE")
    let new = EventModels.model(title: true)
    let error = #expect(throws: NSError.self) { try TestStore.migrate(url, to: new) }
    #expect(error?.code == NSMigrationMissingSourceModelError)
    var options = TestStore.migrating
    options[MomKitMigrationSourceModelOption] = EventModels.model()
    try TestStore.migrate(url, to: new, options: options)
    #expect(try StoreFile(at: url.path).verify().isEmpty)
  }

  @Test func aMandatoryAttributeWithoutDefaultFailsAsCoreDataSaysIt() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let new = EventModels.model { model in
      model.entitiesByName["Event"]?.properties.append(
        attribute("kind", .stringAttributeType, optional: false))
    }
    let error = #expect(throws: NSError.self) { try TestStore.migrate(url, to: new) }
    #expect(error?.code == NSMigrationError)
    #expect(
      error?.userInfo["reason"] as? String
        == "Cannot migrate store in-place: Validation error missing attribute values on mandatory "
        + "destination attribute")
    #expect(error?.userInfo["entity"] as? String == "Event")
    #expect(error?.userInfo["attribute"] as? String == "kind")
  }

  // MARK: External files

  @Test func everyExternalFileIsKept() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Cache.sqlite")
    let support = folder.file(".Cache_SUPPORT/_EXTERNAL_DATA")
    func model(_ version: Int) -> NSManagedObjectModel {
      let file = NSEntityDescription()
      file.name = version == 1 ? "CachedFile" : "StoredFile"
      file.renamingIdentifier = "CachedFile"
      let data = attribute("fileData", .binaryDataAttributeType)
      data.allowsExternalBinaryDataStorage = true
      let inline = attribute("thumbnail", .binaryDataAttributeType)
      inline.allowsExternalBinaryDataStorage = version == 2
      file.properties = [data, inline, attribute("size", .integer32AttributeType)]
      let fleeting = attribute("decoded", .binaryDataAttributeType)
      fleeting.allowsExternalBinaryDataStorage = true
      fleeting.isTransient = version == 2
      file.properties.append(fleeting)
      if version == 1 {
        let gone = attribute("preview", .binaryDataAttributeType)
        gone.allowsExternalBinaryDataStorage = true
        file.properties.append(gone)
      }
      return NSManagedObjectModel(of: [file])
    }
    let context = try TestStore.open(url, model(1))
    for number in 0..<6 {
      let file = NSEntityDescription.insertNewObject(forEntityName: "CachedFile", into: context)
      file["fileData"] = Data(repeating: UInt8(number), count: number % 2 == 0 ? 200_000 : 10)
      file["thumbnail"] = Data([0, 1, 0, UInt8(number)])
      file["preview"] = Data(repeating: UInt8(number), count: 150_000)
      file["decoded"] = Data(repeating: UInt8(number), count: 160_000)
      file["size"] = number
    }
    try context.save()
    try TestStore.close(context)
    let before = try Set(FileManager.default.contentsOfDirectory(atPath: support.path))
    #expect(before.count == 15)
    try TestStore.migrate(url, to: model(2))
    let again = try TestStore.open(url, model(2))
    let files = try again.fetch(NSFetchRequest<NSManagedObject>(entityName: "StoredFile"))
    #expect(files.count == 6)
    for file in files {
      let number = (file["size"] as? NSNumber)?.intValue ?? -1
      #expect(
        file["fileData"] as? Data
          == Data(repeating: UInt8(number), count: number % 2 == 0 ? 200_000 : 10))
      #expect(file["thumbnail"] as? Data == Data([0, 1, 0, UInt8(number)]))
    }
    // The files of the removed and the transient attribute were removed with them, and no others.
    let after = try Set(FileManager.default.contentsOfDirectory(atPath: support.path))
    #expect(after.count == 3)
    #expect(after.isSubset(of: before))
  }

  // MARK: Schemas

  @Test func historyIsRenumbered() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    let old = EventModels.model { model in
      let attribute = attribute("tag", .stringAttributeType)
      attribute.preservesValueInHistoryOnDeletion = true
      model.entitiesByName["Location"]?.properties.append(attribute)
    }
    let context = try TestStore.open(url, old, options: [NSPersistentHistoryTrackingKey: true])
    let place = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
    let event = NSEntityDescription.insertNewObject(forEntityName: "Event", into: context)
    try context.save()
    (place["name"], event["timestamp"]) = ("Ulm", Date())
    try context.save()
    event["location"] = place
    try context.save()
    place["tag"] = "kept"
    try context.save()
    context.delete(place)
    try context.save()
    try TestStore.close(context)
    // A new entity comes first, and new attributes before and after the old ones.
    let new = EventModels.model { model in
      let account = entity("Account")
      model.entities.append(account)
      let location = model.entitiesByName["Location"]
      let tag = attribute("tag", .stringAttributeType)
      tag.preservesValueInHistoryOnDeletion = true
      let early = attribute("area", .stringAttributeType)
      early.preservesValueInHistoryOnDeletion = true
      location?.properties += [tag, early]
      model.entitiesByName["Event"]?.properties.append(
        attribute("alarm", .dateAttributeType))
    }
    try TestStore.migrate(url, to: new)
    let connection = try SQLiteConnection.reading(url)
    let checker = try StoreChecker(url, model: new)
    #expect(try checker.findings() == [])
    func changes(_ columns: String) throws -> [String] {
      try connection.withStatement("SELECT \(columns) FROM ACHANGE ORDER BY Z_PK") { row in
        var lines: [String] = []
        while try row.step() { lines.append(row.text(at: 0) ?? "NULL") }
        return lines
      }
    }
    // Event was 1 and becomes 2, Location was 2 and becomes 3.
    #expect(
      try Set(changes("ZCHANGETYPE || ' ' || ZENTITY"))
        == ["0 2", "0 3", "1 2", "1 3", "2 3"])
    // Event: location, alarm, timestamp; Location: area, name, tag, events.
    let masks = try changes(
      "CASE WHEN ZCOLUMNS IS NOT NULL THEN ZENTITY || ' ' || hex(ZCOLUMNS) END")
    #expect(Set(masks).isSuperset(of: ["2 20", "2 80", "3 40"]))
    #expect(masks.contains { $0 == "3 20" || $0 == "3 30" })
    #expect(
      try connection.text("SELECT ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2") == "kept")
    #expect(
      try connection.integer("SELECT count(*) FROM ACHANGE WHERE ZTOMBSTONE0 IS NOT NULL") == 0)
    let author = try connection.text(
      "SELECT s.ZNAME FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS "
        + "ORDER BY t.Z_PK DESC LIMIT 1")
    #expect(
      author?.hasPrefix(
        "com.apple.coredata.schemamigrator: lightweight migration from model with digest { ")
        == true)
    #expect(author?.contains(VersionHashes.digest(of: old.entityVersionHashesByName)) == true)
  }

  @Test func aToOneBecomesAnOrderedToManyWithoutLoss() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let before = try StoreSnapshot(url, EventModels.model())
    let new = EventModels.model { model in
      let relationship = model.entitiesByName["Event"]?.relationshipsByName["location"]
      relationship?.maxCount = 0
      model.entitiesByName["Location"]?.relationshipsByName["events"]?.isOrdered = true
    }
    try TestStore.migrate(url, to: new)
    let comparison = MigrationComparison(
      before, EventModels.model(), try StoreSnapshot(url, new), new)
    #expect(comparison.differences == [])
    let connection = try SQLiteConnection.reading(url)
    let join = try #require(try StoreSchema(model: new).joinTables.first)
    #expect(try connection.integer("SELECT count(*) FROM \(join.name)") == 7)
    let order = try #require(join.ownerOrder ?? join.inverseOrder)
    #expect(try connection.integer("SELECT min(\(order)) FROM \(join.name)") == 2048)
    #expect(try connection.integer("SELECT count(*) FROM \(join.name) WHERE \(order) IS NULL") == 0)
  }

  @Test func aLossyRelationshipIsRefused() throws {
    // Six events refer to one place; a member of a to-many relationship without an inverse has only one owner.
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    func model(_ isMany: Bool) -> NSManagedObjectModel {
      EventModels.model { model in
        let place = model.entitiesByName["Event"]?.relationshipsByName["location"]
        place?.inverseRelationship = nil
        place?.maxCount = isMany ? 0 : 1
        let location = model.entitiesByName["Location"]
        location?.properties = location?.properties.filter { $0.name != "events" } ?? []
      }
    }
    try TestStore.make(url, model(false))
    let before = try StoreSnapshot(url, model(false))
    let error = #expect(throws: NSError.self) { try TestStore.migrate(url, to: model(true)) }
    #expect(error?.code == NSMigrationError)
    #expect(error?.userInfo["relationship"] as? String == "location")
    #expect(try StoreSnapshot(url, model(false)) == before)
  }

  @Test func whatTheProgramPutIntoTheFileIsKept() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    do {
      let connection = try SQLiteConnection(writing: url, creation: .existing)
      try connection.execute(
        "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine'); "
          + "CREATE INDEX my_index ON ZEVENT (ZTIMESTAMP); "
          + "CREATE TRIGGER my_trigger AFTER DELETE ON ZLOCATION BEGIN DELETE FROM notes; END; "
          + "CREATE TRIGGER my_other AFTER UPDATE ON ZLOCATION BEGIN "
          + "INSERT INTO notes VALUES (OLD.ZNAME); END")
    }
    let new = EventModels.model(title: true) { model in
      let location = model.entitiesByName["Location"]
      let name = location?.attributesByName["name"]
      name?.name = "label"
      name?.renamingIdentifier = "name"
    }
    try TestStore.migrate(url, to: new)
    let connection = try SQLiteConnection.reading(url)
    #expect(try connection.text("SELECT text FROM notes") == "mine")
    let names = try connection.text(
      "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master "
        + "WHERE name LIKE 'my%' ORDER BY name)")
    // The trigger that reads a removed column would break every write.
    #expect(names == "my_index my_trigger")
  }

  // MARK: Progress

  @Test func aCancelledMigrationChangesNothing() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let bytes = try Data(contentsOf: url)
    let progress = Progress(totalUnitCount: 1)
    progress.cancel()
    var options = TestStore.migrating
    options[MomKitMigrationProgressOption] = progress
    let error = #expect(throws: NSError.self) {
      try TestStore.migrate(url, to: EventModels.model(title: true), options: options)
    }
    #expect(error?.code == NSMigrationCancelledError)
    #expect(try Data(contentsOf: url) == bytes)
    let fresh = Progress(totalUnitCount: 1)
    options[MomKitMigrationProgressOption] = fresh
    try TestStore.migrate(url, to: EventModels.model(title: true), options: options)
    #expect(fresh.isFinished)
    #expect(fresh.fractionCompleted == 1)
  }

  @Test func theOldModelWritesNothingIntoAMigratedStore() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let stale = try TestStore.open(url, EventModels.model())
    let request = NSFetchRequest<NSManagedObject>(entityName: "Location")
    let place = try #require(try stale.fetch(request).first { $0["name"] != nil })
    place["name"] = "changed before"
    try stale.save()
    // The new model's Account takes Event's former number.
    let new = EventModels.model(title: true) { model in
      let account = entity("Account", [attribute("title", .stringAttributeType)])
      model.entities.append(account)
    }
    try TestStore.migrate(url, to: new)
    let migrated = try StoreSnapshot(url, new)
    place["name"] = "changed after"
    var error = #expect(throws: NSError.self) { try stale.save() }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    stale.rollback()
    _ = NSEntityDescription.insertNewObject(forEntityName: "Event", into: stale)
    error = #expect(throws: NSError.self) { try stale.save() }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(try StoreSnapshot(url, new) == migrated)
    #expect(try StoreChecker(url, model: new).findings() == [])
  }

  /// One opener has read the store's version before another one migrates it.
  @Test(arguments: ["inferred", "staged"])
  func anotherOpenerWasFaster(way: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    let metadata = try connection.readMetadata()
    let new = EventModels.model(title: true)
    try TestStore.migrate(url, to: new)
    let migrated = try StoreSnapshot(url, new)
    func options(_ target: NSManagedObjectModel) -> [AnyHashable: Any] {
      guard way == "staged" else {
        return [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ]
      }
      let manager = NSStagedMigrationManager([
        NSLightweightMigrationStage([EventModels.model().versionChecksum, target.versionChecksum])
      ])
      return [NSPersistentStoreStagedMigrationManagerOptionKey: manager]
    }
    func migrate(to target: NSManagedObjectModel) throws {
      let opening = StoreOpening(
        url: url, model: target, layouts: .of(target), configuration: nil, entityNames: nil,
        options: options(target))
      try SQLiteEngine.migrate(opening, at: url, connection, metadata: metadata)
    }
    try migrate(to: new)
    #expect(try StoreSnapshot(url, new) == migrated)
    // With a model other than the one it was migrated to, the original error is thrown.
    let third = EventModels.model { model in
      let account = entity("Account")
      model.entities.append(account)
    }
    if way == "inferred" {
      let error = #expect(throws: NSError.self) { try migrate(to: third) }
      #expect(error?.code == NSMigrationMissingSourceModelError)
    }
    #expect(try StoreSnapshot(url, new) == migrated)
  }

  @Test func twoOpenersMigrateOnce() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let before = try StoreSnapshot(url, EventModels.model())
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do { try TestStore.migrate(url, to: EventModels.model(title: true)) } catch {
        failures.add(error)
      }
    }
    #expect(failures.list.isEmpty, "\(failures.list)")
    let after = try StoreSnapshot(url, EventModels.model(title: true))
    #expect(after.count == before.count)
  }

  private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var list: [any Error] = []
    func add(_ error: any Error) { lock.withLock { list.append(error) } }
  }
}
