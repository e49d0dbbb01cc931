import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Persistent history in migrations.
@Suite struct HistoryMigrationTests {
  private let folder: TemporaryFolder
  private let url: URL

  private static var tracking: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("Store.sqlite")
  }

  private func history(
    _ context: NSManagedObjectContext
  ) throws -> [NSPersistentHistoryTransaction] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let result = try context.execute(request) as? NSPersistentHistoryResult
    return try #require(result?.result as? [NSPersistentHistoryTransaction])
  }

  private func insert(_ name: String, into context: NSManagedObjectContext) -> NSManagedObject {
    NSEntityDescription.insertNewObject(forEntityName: name, into: context)
  }

  // MARK: Deleted history

  enum Way: CaseIterable { case inPlace, mapping, stages, copy }

  /// A store of events whose history was tracked once, and deleted.
  private func makeStore() throws {
    let context = try TestStore.open(url, EventModels.model(), options: Self.tracking)
    insert("Location", into: context)["name"] = "Ulm"
    try context.save()
    try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
    try TestStore.close(context)
  }

  /// The stage from one model to another, with a handler that saves a location.
  private func stages(
    to new: NSManagedObjectModel
  ) -> NSStagedMigrationManager {
    func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
      NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }
    let stage = NSCustomMigrationStage(
      migratingFrom: reference(EventModels.model()), to: reference(new))
    stage.willMigrateHandler = { manager, _ in
      let context = try #require(manager.container?.newBackgroundContext())
      try context.performAndWait {
        NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)["name"] =
          "Linz"
        try context.save()
      }
    }
    return NSStagedMigrationManager([stage])
  }

  /// Migrates the store, and opens the result.
  private func migrate(_ way: Way, options: [AnyHashable: Any]) throws -> NSManagedObjectContext {
    let new = way == .mapping ? MappingMigrationTests.target() : EventModels.model(title: true)
    switch way {
    case .inPlace:
      return try TestStore.open(url, new, options: options.merging(TestStore.migrating) { $1 })
    case .mapping:
      let mapping: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        MomKitMigrationMappingModelOption: MappingMigrationTests.mapping(),
      ]
      return try TestStore.open(url, new, options: options.merging(mapping) { $1 })
    case .stages:
      let staged: [AnyHashable: Any] = [
        NSPersistentStoreStagedMigrationManagerOptionKey: stages(to: new)
      ]
      return try TestStore.open(url, new, options: options.merging(staged) { $1 })
    case .copy:
      let manager = NSMigrationManager(sourceModel: EventModels.model(), destinationModel: new)
      let destination = folder.file("New.sqlite")
      try manager.migrateStore(
        from: url, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: destination,
        destinationType: NSSQLiteStoreType, destinationOptions: options)
      return try TestStore.open(destination, new, options: options)
    }
  }

  @Test(arguments: Way.allCases) func aStoreWithoutHistoryStaysWritable(way: Way) throws {
    try makeStore()
    let context = try migrate(way, options: [:])
    let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
    #expect(!store.isReadOnly)
    insert("Location", into: context)["name"] = "Graz"
    try context.save()
    #expect(try history(context).isEmpty)
    #expect(
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Location"))
        == (way == .stages ? 3 : 2))
    try TestStore.close(context)
  }

  /// The same store, opened to track history again.
  @Test(arguments: Way.allCases) func aTrackedMigrationIsRecorded(way: Way) throws {
    try makeStore()
    let context = try migrate(way, options: Self.tracking)
    let found = try history(context)
    let isWithoutObjects = way != .mapping
    #expect(
      isWithoutObjects
        == (found.last?.author?.hasPrefix("com.apple.coredata.schemamigrator: ") == true))
    // What the handler of a stage saves is found in the history, too.
    let inserted = found.flatMap { $0.changes ?? [] }.filter { $0.changeType == .insert }
    #expect(inserted.count == (way == .stages || way == .mapping ? 1 : 0))
    try TestStore.close(context)
  }

  // MARK: Contents

  @Test func tombstonesFollowTheirAttributes() throws {
    func model(_ version: Int) -> NSManagedObjectModel {
      let data = attribute("data", .binaryDataAttributeType)
      data.allowsExternalBinaryDataStorage = version == 2
      let properties = [
        attribute("amount", version == 1 ? .doubleAttributeType : .integer32AttributeType), data,
        attribute("text", .stringAttributeType),
      ]
      for attribute in properties { attribute.preservesValueInHistoryOnDeletion = true }
      return NSManagedObjectModel(of: [entity("Thing", properties)])
    }
    let context = try TestStore.open(url, model(1), options: Self.tracking)
    let things = [Data([2, 65]), Data(repeating: 1, count: 150_000)].map { data in
      let thing = insert("Thing", into: context)
      (thing["amount"], thing["data"], thing["text"]) = (3.7, data, "words")
      return thing
    }
    things.first?["text"] = nil
    try context.save()
    for thing in things { context.delete(thing) }
    try context.save()
    try TestStore.close(context)
    let options = Self.tracking.merging(TestStore.migrating) { $1 }
    let migrated = try TestStore.open(url, model(2), options: options)
    let found = try history(migrated).flatMap { $0.changes ?? [] }.compactMap(\.tombstone)
    #expect(found.map { $0["amount"] as? Int } == [3, 3])
    #expect(
      Set(found.compactMap { $0["data"] as? Data })
        == [Data([2, 65]), Data(repeating: 1, count: 150_000)])
    #expect(found.compactMap { $0["text"] as? String } == ["words"])
    try TestStore.close(migrated)
  }

  /// Another framework's history may have columns for fewer values than the model preserves.
  @Test func tombstonesWithoutAColumnAreNone() throws {
    func model(_ names: [String]) -> NSManagedObjectModel {
      let properties = names.map { name in
        let attribute = attribute(name)
        attribute.preservesValueInHistoryOnDeletion = true
        return attribute
      }
      return NSManagedObjectModel(of: [entity("Thing", properties)])
    }
    let context = try TestStore.open(url, model(["a", "b"]), options: Self.tracking)
    let thing = insert("Thing", into: context)
    (thing["a"], thing["b"]) = ("first", "second")
    try context.save()
    context.delete(thing)
    try context.save()
    try TestStore.close(context)
    try SQLiteConnection(writing: url, creation: .existing)
      .execute("ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE1")
    let options = Self.tracking.merging(TestStore.migrating) { $1 }
    let migrated = try TestStore.open(url, model(["b"]), options: options)
    let found = try history(migrated).flatMap { $0.changes ?? [] }.compactMap(\.tombstone)
    #expect(found.map { $0["b"] as? String } == [nil])
    try TestStore.close(migrated)
  }

  /// A new property in the place of a removed one hasn't changed before it was there.
  @Test func aRemovedPropertyIsntTakenForANewOne() throws {
    func model(_ name: String) -> NSManagedObjectModel {
      NSManagedObjectModel(of: [entity("Thing", [attribute(name), attribute("text")])])
    }
    let context = try TestStore.open(url, model("name"), options: Self.tracking)
    let thing = insert("Thing", into: context)
    try context.save()
    for names in [["name"], ["text"], ["name", "text"]] {
      for name in names { thing[name] = "\(names.count) \(name)" }
      try context.save()
    }
    try TestStore.close(context)
    let options = Self.tracking.merging(TestStore.migrating) { $1 }
    let migrated = try TestStore.open(url, model("nick"), options: options)
    let updates = try history(migrated).flatMap { $0.changes ?? [] }
      .filter { $0.changeType == .update }
    #expect(
      updates.map { Set(($0.updatedProperties ?? []).map(\.name)) } == [[], ["text"], ["text"]])
    try TestStore.close(migrated)
    #expect(try StoreChecker(url, model: model("nick")).findings() == [])
  }
}
