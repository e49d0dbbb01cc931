import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Migration of XML and binary stores that have the entities of one configuration only.
@Suite struct ConfiguredFileMigrationTests {
  private static let types = [NSXMLStoreType, NSBinaryStoreType]
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("First.store")
  }

  /// `A` in the configuration `First`, with an attribute more in each version; `B` in `Second`.
  private static func model(_ version: Int) -> NSManagedObjectModel {
    let (a, b) = (entity("A"), entity("B"))
    a.properties = ["name", "second", "third", "fourth"].prefix(version).map {
      attribute($0, .stringAttributeType)
    }
    b.properties = [attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel(of: [a, b])
    model.setEntities([a], forConfigurationName: "First")
    model.setEntities([b], forConfigurationName: "Second")
    return model
  }

  private func open(
    _ type: String, _ version: Int, options: [AnyHashable: Any]? = nil,
    configuration: String? = "First"
  ) throws -> NSManagedObjectContext {
    TestStore.context(
      try TestStore.coordinator(
        Self.model(version), at: url, type: type, configuration: configuration, options: options))
  }

  private func make(
    _ type: String, version: Int = 1, configuration: String? = "First"
  ) throws {
    let context = try open(type, version, configuration: configuration)
    for entity in configuration == nil ? ["A", "B"] : ["A"] {
      NSEntityDescription.insertNewObject(forEntityName: entity, into: context)["name"] = "first"
    }
    try context.save()
    try TestStore.close(context)
  }

  private func names(_ context: NSManagedObjectContext, _ entity: String = "A") throws -> [String?]
  {
    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).map {
      $0["name"] as? String
    }
  }

  @Test(arguments: types) func aStoreIsMigratedByInference(type: String) throws {
    try make(type)
    let bytes = try Data(contentsOf: url)
    #expect(throws: NSError.self) { try open(type, 2, options: TestStore.migrating) }
    #expect(try Data(contentsOf: url) == bytes)
    let context = try open(
      type, 2,
      options: TestStore.migrating.merging([MomKitMigrationSourceModelOption: Self.model(1)]) { $1 }
    )
    #expect(try names(context) == ["first"])
    let object = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "A")).first
    object?["second"] = "2"
    try context.save()
    let metadata = try #require(context.persistentStoreCoordinator?.persistentStores.first).metadata
    #expect((metadata?[NSStoreModelVersionHashesKey] as? [String: Data])?.count == 1)
    try TestStore.close(context)
    #expect(try names(open(type, 2)) == ["first"])
  }

  /// Handlers of stages see the store with its configuration. The first stage that names a model names the second
  /// version's.
  @Test(arguments: types, [1, 2]) func aStoreIsMigratedInStages(type: String, version: Int) throws {
    try make(type, version: version)
    func reference(_ version: Int) -> NSManagedObjectModelReference {
      let model = Self.model(version)
      return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }
    let custom = NSCustomMigrationStage(migratingFrom: reference(2), to: reference(3))
    custom.willMigrateHandler = { manager, _ in
      let context = try #require(manager.container?.newBackgroundContext())
      try context.performAndWait {
        for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "A")) {
          object["second"] = "of a stage"
        }
        try context.save()
      }
    }
    let stages = NSStagedMigrationManager([
      NSLightweightMigrationStage([1, 2].map { Self.model($0).versionChecksum }), custom,
      NSLightweightMigrationStage([3, 4].map { Self.model($0).versionChecksum }),
    ])
    var options: [AnyHashable: Any] = [NSPersistentStoreStagedMigrationManagerOptionKey: stages]
    if version == 1 { options[MomKitMigrationSourceModelOption] = Self.model(1) }
    let context = try open(type, 4, options: options)
    let object = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "A")).first
    #expect(object?["second"] as? String == "of a stage")
  }

  /// Nothing of a store with all entities is lost if it is opened with a configuration.
  @Test(arguments: types) func otherEntitiesStay(type: String) throws {
    try make(type, configuration: nil)
    let options = TestStore.migrating.merging([MomKitMigrationSourceModelOption: Self.model(1)]) {
      $1
    }
    let context = try open(type, 2, options: options)
    #expect(try names(context) == ["first"])
    try TestStore.close(context)
    let whole = try open(type, 2, configuration: nil)
    #expect(try names(whole) == ["first"])
    #expect(try names(whole, "B") == ["first"])
  }
}
