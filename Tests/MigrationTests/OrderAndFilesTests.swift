import DataModels
import Foundation
import ModelEvolution
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// What must survive a migration beside values: orders, external files, and other programs that open the store.
@Suite struct OrderAndFilesTests {
  private static func relationship(_ name: String, isOrdered: Bool = false, maximum: Int = 0)
    -> NSRelationshipDescription
  {
    let relationship = NSRelationshipDescription()
    (relationship.name, relationship.maxCount) = (name, maximum)
    (relationship.isOrdered, relationship.isOptional) = (isOrdered, true)
    relationship.deleteRule = .nullifyDeleteRule
    return relationship
  }

  /// Lists have songs in an order, and songs many lists, or one.
  private static func lists(single: Bool) -> NSManagedObjectModel {
    let (list, song) = (entity("List"), entity("Song"))
    let songs = relationship("songs", isOrdered: true)
    let back = relationship(single ? "list" : "lists", maximum: single ? 1 : 0)
    (songs.destinationEntity, back.destinationEntity) = (song, list)
    (songs.inverseRelationship, back.inverseRelationship) = (back, songs)
    list.properties = [attribute("name", .stringAttributeType), songs]
    song.properties = [attribute("name", .stringAttributeType), back]
    let model = NSManagedObjectModel()
    model.entities = [list, song]
    return model
  }

  @Test func anOrderSurvivesWhenSongsAreInOneListOnly() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("lists.sqlite")
    do {
      let coordinator = try TestStore.coordinator(Self.lists(single: false), at: url)
      let context = TestStore.context(coordinator)
      func new(_ entity: String, _ name: String) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object["name"] = name
        return object
      }
      let songs = ["a", "b", "c"].map { new("Song", $0) }
      let list = new("List", "list")
      try context.save()
      list["songs"] = NSOrderedSet(array: [songs[2], songs[0], songs[1]])
      try context.save()
      for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
    let options = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
    let coordinator = try TestStore.coordinator(Self.lists(single: true), at: url, options: options)
    let context = TestStore.context(coordinator)
    let list = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "List")).first
    let songs = (list?["songs"] as? NSOrderedSet)?.array as? [NSManagedObject]
    #expect(songs?.map { $0["name"] as? String } == ["c", "a", "b"])
  }

  private static func photos(version: Int) -> NSManagedObjectModel {
    let photo = entity("Photo")
    let data = attribute("data", .binaryDataAttributeType)
    data.allowsExternalBinaryDataStorage = true
    photo.properties = [data] + (version > 1 ? [attribute("title", .stringAttributeType)] : [])
    let model = NSManagedObjectModel()
    model.entities = [photo]
    return model
  }

  /// To a file with the same folder for large values, or where an earlier attempt has left a part.
  @Test(arguments: ["Library.new", "Other.sqlite"]) func aManagerFindsFilesThatAreThere(
    name: String
  )
    throws
  {
    let folder = try TemporaryFolder()
    let (source, target) = (folder.file("Library.sqlite"), folder.file(name))
    let bytes = Data(repeating: 7, count: 300_000)
    do {
      let coordinator = try TestStore.coordinator(Self.photos(version: 1), at: source)
      let context = TestStore.context(coordinator)
      NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)["data"] = bytes
      try context.save()
      for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
    if name.hasPrefix("Other") {
      let files = folder.file(".Library_SUPPORT/_EXTERNAL_DATA")
      let left = folder.file(".Other_SUPPORT/_EXTERNAL_DATA")
      try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
      for file in try FileManager.default.contentsOfDirectory(atPath: files.path) {
        try Data(count: 10).write(to: left.appendingPathComponent(file))
      }
    }
    let (old, new) = (Self.photos(version: 1), Self.photos(version: 2))
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
      from: source, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
    let context = TestStore.context(try TestStore.coordinator(new, at: target))
    let photos = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
    #expect(photos.map { $0["data"] as? Data } == [bytes])
    let before = TestStore.context(try TestStore.coordinator(old, at: source))
    let originals = try before.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
    #expect(originals.map { $0["data"] as? Data } == [bytes])
  }

  /// Programs that open a store at once, and want its history, all get it.
  @Test func manyOpenersEnableHistoryAtOnce() async throws {
    for _ in 0..<5 {
      let folder = try TemporaryFolder()
      let url = folder.file("Library.sqlite")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<6 {
          group.addTask {
            let coordinator = NSPersistentStoreCoordinator(
              managedObjectModel: Self.photos(version: 1))
            try coordinator.addPersistentStore(
              ofType: NSSQLiteStoreType, configurationName: nil, at: url,
              options: [NSPersistentHistoryTrackingKey: true as NSNumber])
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
