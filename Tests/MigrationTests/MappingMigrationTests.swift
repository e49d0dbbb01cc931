import DataModels
import Foundation
import ModelEvolution
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

import class PredicateFormat.NSExpression

@_spi(Engines) @testable import ManagedObjects

/// Migration with mapping models, managers and policies.
@Suite(.serialized) struct MappingMigrationTests {
  /// `Event.timestamp`, a date, becomes `Event.day`, a string: inference can't do that.
  static func target() -> NSManagedObjectModel {
    EventModels.model { model in
      let event = model.entitiesByName["Event"]
      event?.properties = event?.properties.filter { $0.name != "timestamp" } ?? []
      event?.properties += [
        attribute("day", .stringAttributeType),
        attribute("timestamp", .stringAttributeType),
      ]
    }
  }

  static func property(_ name: String, _ text: String) -> NSPropertyMapping {
    let mapping = NSPropertyMapping()
    mapping.name = name
    mapping.valueExpression = NSExpression(format: text)
    return mapping
  }

  static func mapping(policy: String? = nil) -> NSMappingModel {
    let (event, location) = (NSEntityMapping(), NSEntityMapping())
    event.name = "EventToEvent"
    event.mappingType = policy == nil ? .transformEntityMappingType : .customEntityMappingType
    (event.sourceEntityName, event.destinationEntityName) = ("Event", "Event")
    event.entityMigrationPolicyClassName = policy
    event.sourceExpression = NSExpression(
      format:
        "FETCH(FUNCTION($\(NSMigrationManagerKey), \"fetchRequestForSourceEntityNamed:predicateString:\", "
        + "\"Event\", \"TRUEPREDICATE\"), $manager.sourceContext, NO)")
    event.attributeMappings = [
      property(
        "day",
        "FUNCTION($\(NSMigrationEntityPolicyKey), \"nameOf:\", "
          + "$\(NSMigrationSourceObjectKey).location.name)"),
      property(
        "timestamp", "FUNCTION($entityPolicy, \"textOfDate:\", $source.timestamp)"),
    ]
    event.relationshipMappings = [
      property(
        "location",
        "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
          + "\"LocationToLocation\", $source.location)")
    ]
    if policy == nil { event.attributeMappings = [] }
    location.name = "LocationToLocation"
    location.mappingType = .copyEntityMappingType
    (location.sourceEntityName, location.destinationEntityName) = ("Location", "Location")
    location.attributeMappings = [
      property("name", "FUNCTION($source, \"valueForKey:\", \"name\")")
    ]
    location.relationshipMappings = [
      property(
        "events",
        "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
          + "\"events\", FUNCTION($source, \"valueForKey:\", \"events\"))")
    ]
    let mapping = NSMappingModel()
    mapping.entityMappings = [event, location]
    return mapping
  }

  private func store(_ folder: TemporaryFolder) throws -> URL {
    let url = folder.file("Events.sqlite")
    let context = try TestStore.open(url, EventModels.model())
    for number in 0..<3 {
      let place = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
      place["name"] = "place \(number)"
      for index in 0..<4 {
        let event = NSEntityDescription.insertNewObject(forEntityName: "Event", into: context)
        event["timestamp"] = Date(timeIntervalSinceReferenceDate: Double(number * 10 + index))
        event["location"] = place
      }
    }
    try context.save()
    try TestStore.close(context)
    return url
  }

  @Test func aPolicyGoesThroughItsWholeLife() throws {
    let folder = try TemporaryFolder()
    let source = try store(folder)
    let bytes = try Data(contentsOf: source)
    RecordingPolicy.register()
    RecordingPolicy.record = []
    let (old, new) = (EventModels.model(), Self.target())
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.userInfo = ["prefix": "at "]
    let destination = folder.file("New.sqlite")
    let mapping = Self.mapping(policy: "RecordingPolicy")
    try manager.migrateStore(
      from: source, type: .sqlite, mapping: mapping, to: destination, type: .sqlite)
    #expect(
      RecordingPolicy.record
        == ["begin"] + Array(repeating: "create", count: 12) + ["endInstances"]
        + Array(repeating: "relate", count: 12) + ["endRelationships", "validate", "end"])
    #expect(manager.progress.fractionCompleted == 1)
    #expect(manager.migrationProgress == 0)
    #expect(try Data(contentsOf: source) == bytes)
    let context = try TestStore.open(destination, new)
    let events = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Event"))
    #expect(events.count == 12)
    for event in events {
      let text = event["timestamp"] as? String ?? ""
      let seconds = Int(text.dropFirst("at ".count)) ?? -1
      #expect(
        (event["location"] as? NSManagedObject)?["name"] as? String == "place \(seconds / 10)")
      #expect(event["day"] as? String == "<place \(seconds / 10)>")
    }
    #expect(try StoreChecker(destination, model: new).findings() == [])
  }

  /// A class knows one version of its entity.
  final class VersionedLocation: NSManagedObject {
    override func awakeFromInsert() { setPrimitiveValue("new", forKey: "anotherVersionsKey") }
    override func awakeFromFetch() { setPrimitiveValue("old", forKey: "anotherVersionsKey") }
  }

  @Test func noClassOfTheProgramsIsAsked() throws {
    let folder = try TemporaryFolder()
    let source = try store(folder)
    func model(_ base: NSManagedObjectModel) throws -> NSManagedObjectModel {
      let copy = try #require(base.copy() as? NSManagedObjectModel)
      copy.entitiesByName["Location"]?.managedObjectClassName = "VersionedLocation"
      return copy
    }
    VersionedLocation.register()
    let (old, new) = try (model(EventModels.model()), model(Self.target()))
    let destination = folder.file("New.sqlite")
    try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
      from: source, type: .sqlite, mapping: Self.mapping(), to: destination, type: .sqlite)
    let context = try TestStore.open(destination, Self.target())
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Location")) == 3)
    // Elsewhere objects are instances of the classes in the models.
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
    #expect(coordinator.modelLayout["Location"]?.objectClass == VersionedLocation.self)
  }

  @Test func aFailingPolicyLeavesNoDestination() throws {
    let folder = try TemporaryFolder()
    let source = try store(folder)
    FailingPolicy.register()
    let manager = NSMigrationManager(
      sourceModel: EventModels.model(), destinationModel: Self.target())
    let destination = folder.file("New.sqlite")
    func migrate(_ policy: String?, _ change: (NSMappingModel) -> Void = { _ in }) throws {
      let mapping = Self.mapping(policy: policy)
      change(mapping)
      try manager.migrateStore(
        from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
        toDestinationURL: destination, destinationType: NSSQLiteStoreType)
    }
    #expect(throws: FailingPolicy.Failure.self) { try migrate("FailingPolicy") }
    var error = #expect(throws: NSError.self) { try migrate("NobodysPolicy") }
    #expect(error?.code == NSEntityMigrationPolicyError)
    // The default policy implements no selector.
    error = #expect(throws: NSError.self) { try migrate("NSEntityMigrationPolicy") }
    #expect(error?.code == NSEntityMigrationPolicyError)
    error = #expect(throws: NSError.self) {
      try migrate(nil) {
        $0.entityMappings[1].attributeMappings = [Self.property("nothing", "1")]
      }
    }
    #expect(error?.code == NSMigrationError)
    error = #expect(throws: NSError.self) {
      try migrate(nil) { $0.entityMappings[1].attributeMappings = [Self.property("name", "1")] }
    }
    #expect(error?.code == NSMigrationError)
    error = #expect(throws: NSError.self) {
      try migrate(nil) { $0.entityMappings[0].sourceEntityName = "Nobody" }
    }
    #expect(error?.code == NSMigrationError)
    // All locations would be lost.
    error = #expect(throws: NSError.self) {
      try migrate(nil) { $0.entityMappings[1].name = "LocationsToLocations" }
    }
    #expect(error?.code == NSMigrationError)
    #expect(error?.localizedDescription.contains("'LocationToLocation'") == true)
    #expect(!FileManager.default.fileExists(atPath: destination.path))
    CancellingPolicy.register()
    error = #expect(throws: NSError.self) { try migrate("CancellingPolicy") }
    #expect(error?.domain == "test")
    #expect(!FileManager.default.fileExists(atPath: destination.path))
    // The manager can be reused, and a store that exists gets the objects in addition.
    for _ in 1...2 { try migrate(nil) }
    let context = try TestStore.open(destination, Self.target())
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Event")) == 24)
  }

  @Test(arguments: [false, true]) func aMissingFolderIsTheDestinationsFault(copies: Bool) throws {
    let folder = try TemporaryFolder()
    let source = try store(folder)
    let model = EventModels.model()
    let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
    manager.usesStoreSpecificMigrationManager = copies
    let error = #expect(throws: NSError.self) {
      try manager.migrateStore(
        from: source, sourceType: NSSQLiteStoreType, options: nil, with: nil,
        toDestinationURL: folder.file("missing/New.sqlite"), destinationType: NSSQLiteStoreType)
    }
    #expect(error?.code == NSMigrationManagerDestinationStoreError)
  }

  /// What expressions reach through the variables of a migration.
  @Test func mappingsHaveKeys() throws {
    let folder = try TemporaryFolder()
    let source = try store(folder)
    let mapping = Self.mapping()
    mapping.entityMappings[1].userInfo = ["suffix": "!"]
    let keys = [
      "$entityMapping.name", "$entityMapping.userInfo.suffix", "$propertyMapping.name",
      "$manager.currentEntityMapping.destinationEntityName",
    ]
    for (key, text) in zip(keys, ["LocationToLocation", "!", "name", "Location"]) {
      mapping.entityMappings[1].attributeMappings = [Self.property("name", key)]
      let destination = folder.file("\(text.count).sqlite")
      try NSMigrationManager(
        sourceModel: EventModels.model(), destinationModel: Self.target()
      ).migrateStore(
        from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
        toDestinationURL: destination, destinationType: NSSQLiteStoreType)
      let context = try TestStore.open(destination, Self.target())
      let places = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Location"))
      #expect(Set(places.map { $0["name"] as? String }) == [text], "\(key)")
      try TestStore.close(context)
    }
  }

  @Test(arguments: [true, false])
  func anInferredMappingGivesWhatMigratingInPlaceGives(copies: Bool) throws {
    let folder = try TemporaryFolder()
    let source = try store(folder)
    let new = EventModels.model(title: true) { model in
      let name = model.entitiesByName["Location"]?.attributesByName["name"]
      name?.name = "label"
      name?.renamingIdentifier = "name"
    }
    let destination = folder.file("New.sqlite")
    let manager = NSMigrationManager(sourceModel: EventModels.model(), destinationModel: new)
    manager.usesStoreSpecificMigrationManager = copies
    try manager.migrateStore(
      from: source, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: destination,
      destinationType: NSSQLiteStoreType)
    try TestStore.migrate(source, to: new)
    func listing(_ url: URL) throws -> [String] {
      let context = try TestStore.open(url, new)
      let events = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Event"))
      return events.map {
        "\($0["timestamp"] ?? "") \(($0["location"] as? NSManagedObject)?["label"] ?? "")"
      }.sorted()
    }
    #expect(try listing(source) == listing(destination))
    #expect(try listing(source).count == 12)
  }

  @Test func aMappingModelIsFoundByItsHashes() throws {
    let (old, new) = (EventModels.model(), Self.target())
    let folder = try TemporaryFolder()
    let mapping = Self.mapping()
    for entity in mapping.entityMappings {
      entity.sourceEntityVersionHash = entity.sourceEntityName.flatMap {
        old.entityVersionHashesByName[$0]
      }
      entity.destinationEntityVersionHash = entity.destinationEntityName.flatMap {
        new.entityVersionHashesByName[$0]
      }
    }
    let file = folder.file("Events.cdm")
    try Data(MappingArchive.encode(mapping)).write(to: file)
    let bundle = try #require(Bundle(path: folder.url.path))
    let found = NSMappingModel(from: [bundle], forSourceModel: old, destinationModel: new)
    #expect(found?.entityMappingsByName.keys.sorted() == ["EventToEvent", "LocationToLocation"])
    #expect(NSMappingModel(from: [bundle], forSourceModel: new, destinationModel: old) == nil)
    #expect(NSMappingModel(contentsOf: folder.file("gone.cdm")) == nil)
    #expect(NSMappingModel(contentsOf: file)?.entityMappings.count == 2)
  }

  @Test func aMappingModelMigratesAStoreWhereItIs() throws {
    let folder = try TemporaryFolder()
    let url = try store(folder)
    RecordingPolicy.register()
    let (old, new) = (EventModels.model(), Self.target())
    let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url)
    try NSPersistentStoreCoordinator.setMetadata(
      ["mine": "kept"], forPersistentStoreOfType: NSSQLiteStoreType, at: url)
    do {
      let connection = try SQLiteConnection(writing: url, creation: .existing)
      let migration = StoreMigration(
        url: url, connection: connection, metadata: try connection.readMetadata(), model: new,
        options: nil)
      let mapping = Self.mapping(policy: "RecordingPolicy")
      try migration.run(mapping, from: old)
    }
    let snapshot = try StoreSnapshot(url, new)
    #expect(snapshot.entities["Event"]?.count == 12)
    #expect(snapshot.entities["Event"]?.values.allSatisfy { $0["location"]?.count == 1 } == true)
    #expect(try StoreChecker(url, model: new).findings() == [])
    let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url)
    #expect(after["mine"] as? String == "kept")
    #expect(after[NSStoreUUIDKey] as? String != before[NSStoreUUIDKey] as? String)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(left.filter { !$0.hasPrefix("Events.sqlite") } == [])
  }
}

/// Records calls, and implements the selectors of the test's mapping.
final class RecordingPolicy: NSEntityMigrationPolicy {
  nonisolated(unsafe) static var record: [String] = []
  private var prefix = ""

  /// Records the steps of the migration that has a prefix; others run concurrently.
  private func note(_ step: String) {
    if !prefix.isEmpty { Self.record.append(step) }
  }

  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    prefix = manager.userInfo?["prefix"] as? String ?? ""
    note("begin")
  }

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    note("create")
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let made = manager.destinationInstances(
      forEntityMappingName: mapping.name ?? "", sourceInstances: [sInstance])
    #expect(made.count == 1)
    #expect(
      manager.sourceInstances(
        forEntityMappingName: mapping.name ?? "", destinationInstances: made) == [sInstance])
    #expect(manager.currentEntityMapping === mapping)
  }

  override func endInstanceCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { note("endInstances") }

  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    note("relate")
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
  }

  override func endRelationshipCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { note("endRelationships") }

  override func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { note("validate") }

  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    note("end")
  }

  override func value(of selector: String, arguments: [Any?]) throws -> Any? {
    switch selector {
    case "textOfDate:":
      guard let date = arguments.first as? Date else { return nil }
      return prefix + "\(Int(date.timeIntervalSinceReferenceDate))"
    case "nameOf:": return "<\(arguments.first.flatMap { $0 } ?? "")>"
    default: return try super.value(of: selector, arguments: arguments)
    }
  }
}

/// Fails at the end.
final class FailingPolicy: NSEntityMigrationPolicy {
  struct Failure: Error {}
  override func value(of selector: String, arguments: [Any?]) throws -> Any? { nil }
  override func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws { throw Failure() }
}

/// Cancels in the middle.
final class CancellingPolicy: NSEntityMigrationPolicy {
  override func value(of selector: String, arguments: [Any?]) throws -> Any? { nil }
  override func endInstanceCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    #expect(manager.migrationProgress > 0)
    manager.cancelMigrationWithError(NSError(domain: "test", code: 7))
  }
}
