import DataModels
import Foundation
import ModelEvolution
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Migrations whose destination exists: it gets the objects in addition.
@Suite(.serialized) struct AppendingMigrationTests {
  private let folder: TemporaryFolder
  private let source: URL
  private var destination: URL { folder.file("New.store") }
  private let old = EventModels.model()
  private let new = EventModels.model(title: true)

  init() throws {
    folder = try TemporaryFolder()
    source = folder.file("Events.sqlite")
    try TestStore.make(source, EventModels.model())
  }

  private func migrate(
    _ mapping: NSMappingModel? = nil, to type: String = NSSQLiteStoreType,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
      from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
      toDestinationURL: destination, destinationType: type, destinationOptions: options)
  }

  private func context(
    _ type: String = NSSQLiteStoreType, options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    TestStore.context(
      try TestStore.coordinator(new, at: destination, type: type, options: options))
  }

  private func counts(_ type: String = NSSQLiteStoreType) throws -> [Int] {
    let context = try context(type)
    defer { try? TestStore.close(context) }
    return try ["Event", "Location"].map {
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: $0))
    }
  }

  private func metadata(_ type: String = NSSQLiteStoreType) throws -> NSDictionary {
    NSDictionary(
      dictionary: try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: type, at: destination))
  }

  private func refusal(
    _ type: String = NSSQLiteStoreType, _ mapping: NSMappingModel? = nil
  ) throws -> NSError? {
    let bytes = try? Data(contentsOf: destination)
    let error = #expect(throws: NSError.self) { try migrate(mapping, to: type) }
    #expect((try? Data(contentsOf: destination)) == bytes)
    return error
  }

  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
  func theSameMappingTwiceGivesTheObjectsTwice(type: String) throws {
    try migrate(to: type)
    let (once, metadata) = (try counts(type), try metadata(type))
    #expect(once.allSatisfy { $0 > 0 })
    try migrate(to: type)
    #expect(try counts(type) == once.map { 2 * $0 })
    #expect(try self.metadata(type) == metadata)
    let context = try context(type)
    for event in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Event")) {
      let location = event["location"] as? NSManagedObject
      #expect((location?["events"] as? Set<NSManagedObject>)?.contains(event) ?? true)
    }
    if type == NSSQLiteStoreType {
      #expect(try StoreChecker(destination, model: new).findings() == [])
    }
  }

  /// One entity after the other. What relates the objects of two passes is a policy's work.
  @Test(arguments: [nil, "RelatingPolicy"]) func passesAddUp(policy: String?) throws {
    RelatingPolicy.register()
    let target = MappingMigrationTests.target()
    func pass(_ index: Int) throws {
      let mapping = NSMappingModel()
      let entity = MappingMigrationTests.mapping().entityMappings[index]
      if index == 0, let policy {
        entity.mappingType = .customEntityMappingType
        entity.entityMigrationPolicyClassName = policy
      }
      mapping.entityMappings = [entity]
      try NSMigrationManager(sourceModel: old, destinationModel: target).migrateStore(
        from: source, type: .sqlite, mapping: mapping, to: destination, type: .sqlite)
    }
    // The event's relationship names the mapping of locations. A store that isn't there has none of them.
    let error = #expect(throws: NSError.self) { try pass(0) }
    #expect(error?.code == NSMigrationError)
    #expect(!FileManager.default.fileExists(atPath: destination.path))
    try pass(1)
    try pass(0)
    let (before, after) = (
      try TestStore.open(source, old), try TestStore.open(destination, target)
    )
    for name in ["Event", "Location"] {
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      #expect(try after.count(for: request) == before.count(for: request))
    }
    func related(_ context: NSManagedObjectContext) throws -> [String] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Event")
      request.predicate = NSPredicate(format: "location.name != nil")
      return try context.fetch(request).compactMap { event in
        (event["location"] as? NSManagedObject)?["name"] as? String
      }.sorted()
    }
    #expect(try related(after) == (policy == nil ? [] : related(before)))
    #expect(try !related(before).isEmpty)
    #expect(try StoreChecker(destination, model: target).findings() == [])
  }

  @Test func historyGoesOn() throws {
    let tracking = [NSPersistentHistoryTrackingKey: true]
    try TestStore.make(destination, new, options: tracking)
    let (before, metadata) = (try counts(), try metadata())
    // It would miss the objects.
    let error = try refusal()
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(error?.localizedDescription.contains("NSPersistentHistoryTrackingKey") == true)
    #expect(try counts() == before)
    try migrate(options: tracking)
    #expect(try self.metadata() == metadata)
    let added = zip(try counts(), before).map { $0 - $1 }
    #expect(added.allSatisfy { $0 > 0 })
    let context = try context(options: tracking)
    let result = try context.execute(
      NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?))
    let transactions = try #require(
      (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
    let last = try #require(transactions.last?.changes)
    #expect(transactions.count > 1)
    #expect(last.count == added.reduce(0, +))
    #expect(last.allSatisfy { $0.changeType == .insert })
  }

  @Test func aFailureLeavesTheStoreAsItWas() throws {
    try TestStore.make(destination, new)
    let before = try StoreSnapshot(destination, new)
    FailingPolicy.register()
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    for entity in mapping.entityMappings where entity.destinationEntityName == "Event" {
      entity.mappingType = .customEntityMappingType
      entity.entityMigrationPolicyClassName = "FailingPolicy"
    }
    #expect(throws: FailingPolicy.Failure.self) { try migrate(mapping) }
    #expect(try StoreSnapshot(destination, new) == before)
  }

  @Test func whatIsNoStoreOfTheModelIsRefused() throws {
    func refuse(_ why: String, as type: String = NSSQLiteStoreType) throws {
      let error = try refusal(type)
      #expect(error?.code == NSMigrationManagerDestinationStoreError)
      #expect(
        error?.localizedDescription.contains(why) == true, "\(error?.localizedDescription ?? "")")
    }
    let files = FileManager.default
    try files.createDirectory(at: destination, withIntermediateDirectories: true)
    try refuse("isn't that of a file")
    try files.removeItem(at: destination)
    try Data("no store".utf8).write(to: destination)
    try refuse("isn't a store of the type 'SQLite'")
    try refuse("isn't a store of the type 'XML'", as: NSXMLStoreType)
    try files.removeItem(at: destination)
    // Not even by migrating it.
    try TestStore.make(destination, old)
    try refuse("isn't one of the destination model")
    let error = #expect(throws: NSError.self) {
      try migrate(options: TestStore.migrating)
    }
    #expect(error?.code == NSMigrationManagerDestinationStoreError)
    try refuse("isn't a store of the type 'Binary'", as: NSBinaryStoreType)
    let itself = #expect(throws: NSError.self) {
      try NSMigrationManager(sourceModel: old, destinationModel: old).migrateStore(
        from: source, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: source,
        destinationType: NSSQLiteStoreType)
    }
    #expect(itself?.localizedDescription == "The destination store is the source store.")
  }

  /// What a destroyed store leaves isn't one.
  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType]) func anEmptyFileIsNoStore(
    type: String
  ) throws {
    try migrate(to: type)
    let once = try counts(type)
    try NSPersistentStoreCoordinator(managedObjectModel: new).destroyPersistentStore(
      at: destination, ofType: type)
    if type == NSXMLStoreType { try Data().write(to: destination) }
    #expect(try Data(contentsOf: destination).isEmpty)
    try migrate(to: type)
    #expect(try counts(type) == once)
  }
}

/// Finds the locations that an earlier pass has made.
final class RelatingPolicy: NSEntityMigrationPolicy {
  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let source = manager.sourceInstances(
      forEntityMappingName: mapping.name ?? "", destinationInstances: [dInstance]
    ).first
    guard let name = (source?["location"] as? NSManagedObject)?["name"] as? String else { return }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Location")
    request.predicate = NSPredicate(format: "name == %@", name)
    dInstance["location"] = try manager.destinationContext.fetch(request).first
  }
}
