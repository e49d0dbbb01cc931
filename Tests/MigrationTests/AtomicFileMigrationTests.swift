import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// XML and binary stores of other model versions.
@Suite struct AtomicFileMigrationTests {
  private static let types = [NSXMLStoreType, NSBinaryStoreType]
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("Events.store")
  }

  private func open(
    _ type: String, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    return TestStore.context(
      try TestStore.coordinator(model, at: url, type: type, options: options))
  }

  private func options(
    _ source: NSManagedObjectModel, _ more: [AnyHashable: Any] = [:]
  ) -> [AnyHashable: Any] {
    TestStore.migrating.merging([MomKitMigrationSourceModelOption: source]) { $1 }
      .merging(more) { $1 }
  }

  @Test(arguments: types) func aStoreIsMigratedByInference(type: String) throws {
    let model = EventModels.model()
    let first = try open(type, model)
    try StoreFiller.fill(first, model)
    let store = try #require(first.persistentStoreCoordinator?.persistentStores.first)
    first.persistentStoreCoordinator?.setMetadata(["mine": "m"], for: store)
    try first.save()
    let before = try StoreSnapshot(first, model)
    let bytes = try Data(contentsOf: url)
    let next = EventModels.model(title: true)
    // Fails without the options, and without the old model.
    for given in [[:], TestStore.migrating] {
      let error = #expect(throws: NSError.self) { try open(type, next, options: given) }
      #expect(
        error?.code
          == (given.isEmpty
            ? NSPersistentStoreIncompatibleVersionHashError : NSMigrationMissingSourceModelError))
      #expect(try Data(contentsOf: url) == bytes)
    }
    let second = try open(type, next, options: options(model))
    let after = try StoreSnapshot(second, next)
    #expect(after.entities.mapValues(\.count) == before.entities.mapValues(\.count))
    func values(_ snapshot: StoreSnapshot, _ entity: String, _ name: String) -> [[String]] {
      (snapshot.entities[entity] ?? [:]).values.map { $0[name] ?? [] }
        .sorted { $0.joined() < $1.joined() }
    }
    #expect(values(after, "Event", "timestamp") == values(before, "Event", "timestamp"))
    #expect(
      values(after, "Location", "events").map(\.count).sorted()
        == values(before, "Location", "events").map(\.count).sorted())
    let metadata = try #require(second.persistentStoreCoordinator?.persistentStores.first).metadata
    #expect(metadata?["mine"] as? String == "m")
    try #require(
      try second.fetch(NSFetchRequest<NSManagedObject>(entityName: "Event")).first)["title"] = "new"
    try second.save()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["Events.store"])
  }

  @Test(arguments: types, [false, true])
  func aStoreIsMigratedInStages(type: String, isLinked: Bool) throws {
    let first = try open(type, StagedMigrationTests.model(1))
    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: first)
    person["fullName"] = "Ada Lovelace"
    try first.save()
    if isLinked {
      try FileManager.default.moveItem(at: url, to: folder.file("there.store"))
      try FileManager.default.createSymbolicLink(
        atPath: url.path, withDestinationPath: "there.store")
    }
    let custom = NSCustomMigrationStage(
      migratingFrom: StagedMigrationTests.reference(2), to: StagedMigrationTests.reference(3))
    custom.willMigrateHandler = { manager, _ in
      let context = try #require(manager.container?.newBackgroundContext())
      try context.performAndWait {
        for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
          let parts = (person["fullName"] as? String ?? "").split(separator: " ").map(String.init)
          (person["first"], person["last"]) = (parts.first, parts.last)
        }
        try context.save()
      }
    }
    let stages = NSStagedMigrationManager([
      NSLightweightMigrationStage([1, 2].map { StagedMigrationTests.model($0).versionChecksum }),
      custom,
      NSLightweightMigrationStage([3, 4].map { StagedMigrationTests.model($0).versionChecksum }),
    ])
    let last = try open(
      type, StagedMigrationTests.model(4),
      options: [
        NSPersistentStoreStagedMigrationManagerOptionKey: stages,
        MomKitMigrationSourceModelOption: StagedMigrationTests.model(1),
      ])
    let people = try last.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
    #expect(people.map { $0["last"] as? String } == ["Lovelace"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == ["Events.store"] + (isLinked ? ["there.store"] : []))
  }

  /// A stage that begins with the store's version has its model, which need not be found elsewhere.
  @Test(arguments: types + [NSSQLiteStoreType])
  func aStageKnowsTheStoresModel(type: String) throws {
    let first = try open(type, StagedMigrationTests.model(2))
    NSEntityDescription.insertNewObject(forEntityName: "Person", into: first)["age"] = 36
    try first.save()
    try TestStore.close(first)
    if type == NSSQLiteStoreType {
      try SQLiteConnection(writing: url, creation: .existing).execute("DELETE FROM Z_MODELCACHE")
    }
    let lost = NSManagedObjectModelReference(
      fileURL: folder.file("gone.mom"),
      versionChecksum: StagedMigrationTests.model(1).versionChecksum)
    let stages = NSStagedMigrationManager([
      // Not performed.
      NSCustomMigrationStage(migratingFrom: lost, to: StagedMigrationTests.reference(2)),
      NSCustomMigrationStage(
        migratingFrom: StagedMigrationTests.reference(2), to: StagedMigrationTests.reference(3)),
      NSLightweightMigrationStage([StagedMigrationTests.model(4).versionChecksum]),
    ])
    let last = try open(
      type, StagedMigrationTests.model(4),
      options: [NSPersistentStoreStagedMigrationManagerOptionKey: stages])
    let people = try last.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
    #expect(people.map { $0["age"] as? Int } == [36])
    try TestStore.close(last)
  }

  @Test(arguments: types) func whatCannotBeInferredLeavesTheStore(type: String) throws {
    let model = EventModels.model()
    try StoreFiller.fill(try open(type, model), model)
    let bytes = try Data(contentsOf: url)
    let next = EventModels.model { model in
      model.entitiesByName["Event"]?.properties.append(
        attribute("must", .stringAttributeType, optional: false))
    }
    let error = #expect(throws: NSError.self) { try open(type, next, options: options(model)) }
    #expect([NSMigrationMissingMappingModelError, 1560, 1570].contains(error?.code ?? 0))
    #expect(try Data(contentsOf: url) == bytes)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["Events.store"])
  }

  @Test func managersMoveBetweenTypes() throws {
    let model = EventModels.model()
    let next = EventModels.model(title: true)
    let types = Self.types + [NSSQLiteStoreType]
    for from in types {
      let source = folder.file("from-\(from)")
      let coordinator = try TestStore.coordinator(model, at: source, type: from)
      let context = TestStore.context(coordinator)
      try StoreFiller.fill(context, model)
      try TestStore.close(context)
      for to in types where from != to {
        let target = folder.file("\(from)-\(to)")
        try NSMigrationManager(sourceModel: model, destinationModel: next).migrateStore(
          from: source, sourceType: from, with: nil, toDestinationURL: target, destinationType: to)
        let reader = try TestStore.coordinator(next, at: target, type: to)
        let context = TestStore.context(reader)
        #expect(try StoreSnapshot(context, next).count == 16, "\(from) to \(to)")
      }
    }
  }
}
