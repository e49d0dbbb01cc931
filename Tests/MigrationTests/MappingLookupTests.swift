import DataModels
import Foundation
import ModelEvolution
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// The choice of the mapping model between two models.
@Suite(.serialized) struct MappingLookupTests {
  /// A mapping with the models' hashes, without some entities.
  private func mapping(
    from old: NSManagedObjectModel, to new: NSManagedObjectModel, without names: Set<String> = []
  ) throws -> NSMappingModel {
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    mapping.entityMappings = mapping.entityMappings.filter {
      !names.contains($0.destinationEntityName ?? "")
    }
    return mapping
  }

  private func write(_ mapping: NSMappingModel, to url: URL) throws {
    try Data(MappingArchive.encode(mapping)).write(to: url)
  }

  @Test func onlyTheEntitiesThatAreNamedCount() throws {
    let folder = try TemporaryFolder()
    let (old, new) = (EventModels.model(), EventModels.model(title: true))
    let partial = try mapping(from: old, to: new, without: ["Location"])
    #expect(partial.maps(old, to: new))
    #expect(!partial.maps(new, to: old))
    try write(partial, to: folder.file("1 partial.cdm"))
    try write(NSMappingModel(), to: folder.file("0 empty.cdm"))
    let bundle = try #require(Bundle(path: folder.url.path))
    func found() -> [String]? {
      NSMappingModel(from: [bundle], forSourceModel: old, destinationModel: new)?
        .entityMappings.compactMap(\.destinationEntityName)
    }
    #expect(found() == ["Event"])
    // A mapping without omissions takes precedence.
    try write(try mapping(from: old, to: new), to: folder.file("2 whole.cdm"))
    #expect(found() == ["Event", "Location"])
    #expect(NSMappingModel(from: [bundle], forSourceModel: new, destinationModel: old) == nil)
  }

  /// Entities that a mapping doesn't name aren't migrated: this is how rows are deleted.
  @Test func aPartialMappingLeavesObjectsOut() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let new = EventModels.model(title: true)
    var options = TestStore.migrating
    options[MomKitMigrationMappingModelOption] = try mapping(
      from: EventModels.model(), to: new, without: ["Location"])
    try TestStore.migrate(url, to: new, options: options)
    let snapshot = try StoreSnapshot(url, new)
    #expect(snapshot.entities["Event"]?.count == 8)
    #expect(snapshot.entities["Location"]?.isEmpty == true)
    #expect(snapshot.entities["Event"]?.values.allSatisfy { $0["location"] == [] } == true)
  }

  @Test func aMappingThatIsMeantIsNeverReplacedByInference() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let before = try StoreSnapshot(url, EventModels.model())
    let new = EventModels.model(title: true)
    var options = TestStore.migrating
    for wrong: Any in [try mapping(from: new, to: EventModels.model()), NSMappingModel(), "no"] {
      options[MomKitMigrationMappingModelOption] = wrong
      let error = #expect(throws: NSError.self) {
        try TestStore.migrate(url, to: new, options: options)
      }
      #expect(error?.code == NSMigrationMissingMappingModelError)
      #expect(try StoreSnapshot(url, EventModels.model()) == before)
    }
    // A manager that is given one throws Core Data's error.
    let manager = NSMigrationManager(sourceModel: EventModels.model(), destinationModel: new)
    let error = #expect(throws: NSError.self) {
      try manager.migrateStore(
        from: url, type: .sqlite, mapping: try mapping(from: new, to: EventModels.model()),
        to: folder.file("New.sqlite"), type: .sqlite)
    }
    #expect(error?.code == NSMigrationError)
    #expect(
      error?.userInfo["reason"] as? String
        == "Mismatch between mapping and source/destination models")
  }

  /// A mapping equal to the inferred one is executed like it: object IDs stay valid.
  @Test func aMappingEqualToTheInferredOneMigratesInPlace() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url)
    let new = EventModels.model(title: true)
    var options = TestStore.migrating
    options[MomKitMigrationMappingModelOption] = try mapping(from: EventModels.model(), to: new)
    try TestStore.migrate(url, to: new, options: options)
    let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url)
    #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
    #expect(try StoreSnapshot(url, new).count == 16)
  }

  @Test func mappingModelsAreEqualByContents() throws {
    let (old, new) = (EventModels.model(), EventModels.model(title: true))
    let (one, two) = (try mapping(from: old, to: new), try mapping(from: old, to: new))
    #expect(one == two)
    #expect(one.hash == two.hash)
    #expect(one.entityMappings[0] == two.entityMappings[0])
    let read = try MappingArchive.decode(MappingArchive.encode(one))
    #expect(read == one)
    let changes: [(NSMappingModel) -> Void] = [
      { $0.entityMappings.removeLast() }, { $0.entityMappings[0].name = "other" },
      { $0.entityMappings[0].mappingType = .customEntityMappingType },
      { $0.entityMappings[0].sourceEntityVersionHash = Data([1]) },
      { $0.entityMappings[0].entityMigrationPolicyClassName = "Policy" },
      { $0.entityMappings[0].userInfo = ["a": 1] },
      { $0.entityMappings[0].attributeMappings?.removeLast() },
      { $0.entityMappings[0].attributeMappings?[0].valueExpression = nil },
      { $0.entityMappings[0].relationshipMappings?[0].name = "other" },
    ]
    for (index, change) in changes.enumerated() {
      let other = try mapping(from: old, to: new)
      change(other)
      #expect(other != one, "\(index)")
    }
    #expect(NSMappingModel() == NSMappingModel())
    #expect(NSPropertyMapping() == NSPropertyMapping())
  }
}
