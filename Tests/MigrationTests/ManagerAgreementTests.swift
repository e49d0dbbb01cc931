import DataModels
import Foundation
import ModelEvolution
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// A manager with an inferred mapping gives the same result as an in-place migration: with a copy, or object by
/// object.
@Suite struct ManagerAgreementTests {
  private func manager(
    _ old: NSManagedObjectModel, _ new: NSManagedObjectModel, copies: Bool
  ) -> NSMigrationManager {
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.usesStoreSpecificMigrationManager = copies
    return manager
  }

  private func run(
    _ manager: NSMigrationManager, from url: URL, to destination: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: manager.sourceModel, destinationModel: manager.destinationModel)
    try manager.migrateStore(
      from: url, type: .sqlite, options: nil, mapping: mapping, to: destination, type: .sqlite,
      options: options)
  }

  /// An attribute becomes mandatory with a default, and rows have no value; types change.
  @Test(arguments: [true, false]) func gapsAreFilledAndNumbersCut(copies: Bool) throws {
    let folder = try TemporaryFolder()
    func model(_ isOld: Bool) -> NSManagedObjectModel {
      EventModels.model { model in
        model.entitiesByName["Event"]?.properties += [
          attribute(
            "flag", .booleanAttributeType, optional: isOld, default: isOld ? nil : false),
          attribute(
            "size", isOld ? .doubleAttributeType : .integer16AttributeType),
        ]
      }
    }
    let url = folder.file("Events.sqlite")
    let context = try TestStore.open(url, model(true))
    let sizes: [Double?] = [1e300, -70_000, 3.9, -3.9, nil]
    for (index, size) in sizes.enumerated() {
      let event = NSEntityDescription.insertNewObject(forEntityName: "Event", into: context)
      event["timestamp"] = Date(timeIntervalSinceReferenceDate: Double(index))
      event["size"] = size
      if index == 0 { event["flag"] = true }
    }
    try context.save()
    try TestStore.close(context)
    let bytes = try Data(contentsOf: url)
    let destination = folder.file("New.sqlite")
    try run(
      manager(model(true), model(false), copies: copies), from: url, to: destination)
    let migrated = try TestStore.open(destination, model(false))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Event")
    request.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: true)]
    let events = try migrated.fetch(request)
    #expect(events.map { $0["flag"] as? Bool } == [true, false, false, false, false])
    #expect(events.map { $0["size"] as? Int } == [32767, -32768, 3, -3, nil])
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try StoreChecker(destination, model: model(false)).findings() == [])
  }

  /// A mandatory to-one relationship leads to an object of a subentity that the new model doesn't have.
  @Test(arguments: [true, false], [true, false])
  func aMandatoryDestinationMayNotGo(copies: Bool, isMandatory: Bool) throws {
    let folder = try TemporaryFolder()
    func model(_ isOld: Bool) -> NSManagedObjectModel {
      let place = entity("Place")
      let hall = entity("Hall")
      place.properties = [attribute("name", .stringAttributeType)]
      let event = entity("Event")
      let at = NSRelationshipDescription()
      at.name = "place"
      at.maxCount = 1
      at.isOptional = !isMandatory
      at.deleteRule = .nullifyDeleteRule
      at.destinationEntity = place
      event.properties = [at]
      let model = NSManagedObjectModel()
      if isOld { place.subentities = [hall] }
      model.entities = isOld ? [place, hall, event] : [place, event]
      return model
    }
    let url = folder.file("Events.sqlite")
    let context = try TestStore.open(url, model(true))
    for name in ["Place", "Hall"] {
      let place = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
      place["name"] = name
      let event = NSEntityDescription.insertNewObject(forEntityName: "Event", into: context)
      event["place"] = place
    }
    try context.save()
    try TestStore.close(context)
    let destination = folder.file("New.sqlite")
    let manager = manager(model(true), model(false), copies: copies)
    guard !isMandatory else {
      #expect(throws: NSError.self) { try run(manager, from: url, to: destination) }
      return
    }
    try run(manager, from: url, to: destination)
    let migrated = try TestStore.open(destination, model(false))
    let events = try migrated.fetch(NSFetchRequest<NSManagedObject>(entityName: "Event"))
    #expect(events.filter { $0["place"] == nil }.count == 1)
    #expect(events.count == 2)
  }

  /// Rows are never dropped silently.
  @Test(arguments: [true, false]) func whatBecomesAbstractKeepsItsRows(copies: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let new = EventModels.model { model in
      let talk = entity("Talk")
      model.entitiesByName["Event"]?.isAbstract = true
      model.entitiesByName["Event"]?.subentities = [talk]
      model.entities.append(talk)
    }
    let destination = folder.file("New.sqlite")
    var error = #expect(throws: NSError.self) {
      try run(manager(EventModels.model(), new, copies: copies), from: url, to: destination)
    }
    #expect(error?.code == NSMigrationError)
    #expect(error?.userInfo["entity"] as? String == "Event")
    #expect(!FileManager.default.fileExists(atPath: destination.path))
    let before = try Data(contentsOf: url)
    error = #expect(throws: NSError.self) { try TestStore.migrate(url, to: new) }
    #expect(error?.code == NSMigrationError)
    #expect(error?.userInfo["entity"] as? String == "Event")
    #expect(try Data(contentsOf: url) == before)
    // Without rows there is nothing to lose.
    let empty = folder.file("Empty.sqlite")
    try TestStore.make(empty, EventModels.model(), isEmpty: true)
    try run(manager(EventModels.model(), new, copies: copies), from: empty, to: destination)
    #expect(FileManager.default.fileExists(atPath: destination.path))
  }

  @Test func aCopyKeepsIdentitiesAndWhatTheProgramNoted() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    let context = try TestStore.open(
      url, EventModels.model(), options: [NSPersistentHistoryTrackingKey: true])
    try StoreFiller.fill(context, EventModels.model())
    try TestStore.close(context)
    try NSPersistentStoreCoordinator.setMetadata(
      ["mine": "kept"], forPersistentStoreOfType: NSSQLiteStoreType, at: url)
    let before = try StoreSnapshot(url, EventModels.model())
    let new = EventModels.model(title: true)
    let destination = folder.file("New.sqlite")
    let manager = manager(EventModels.model(), new, copies: true)
    try run(
      manager, from: url, to: destination,
      options: [
        NSPersistentHistoryTrackingKey: true, NSSQLitePragmasOption: ["journal_mode": "DELETE"],
      ])
    #expect(manager.progress.fractionCompleted == 1)
    let comparison = MigrationComparison(
      before, EventModels.model(), try StoreSnapshot(destination, new), new)
    #expect(comparison.differences == [])
    let (old, made) = (
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: url),
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: destination)
    )
    #expect(made[NSStoreUUIDKey] as? String == old[NSStoreUUIDKey] as? String)
    #expect(made["mine"] as? String == "kept")
    #expect(try StoreChecker(destination, model: new).findings() == [])
    #expect(try SQLiteConnection.reading(destination).text("PRAGMA journal_mode") == "delete")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(left.filter { !$0.hasPrefix("Events.sqlite") } == ["New.sqlite"])
  }

  @Test func aCopyIsRefusedAndCancelledLikeAnyOther() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let new = EventModels.model(title: true)
    let destination = folder.file("New.sqlite")
    // A source of another version, and a missing one.
    var error = #expect(throws: NSError.self) {
      try run(manager(new, EventModels.model(), copies: true), from: url, to: destination)
    }
    #expect(error?.code == NSMigrationManagerSourceStoreError)
    error = #expect(throws: NSError.self) {
      try run(
        manager(EventModels.model(), new, copies: true), from: folder.file("gone"),
        to: destination)
    }
    #expect(error?.code == NSMigrationManagerSourceStoreError)
    let cancelled = manager(EventModels.model(), new, copies: true)
    cancelled.progress.cancel()
    error = #expect(throws: NSError.self) { try run(cancelled, from: url, to: destination) }
    #expect(error?.code == NSMigrationCancelledError)
    #expect(!FileManager.default.fileExists(atPath: destination.path))
    try run(manager(EventModels.model(), new, copies: true), from: url, to: destination)
    // The copy isn't replaced by another one.
    let events = NSFetchRequest<NSManagedObject>(entityName: "Event")
    let count = try TestStore.open(destination, new).count(for: events)
    try run(manager(EventModels.model(), new, copies: true), from: url, to: destination)
    #expect(try TestStore.open(destination, new).count(for: events) == 2 * count)
  }

  @Test func externalFilesGoAlong() throws {
    let folder = try TemporaryFolder()
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      EventModels.model(title: isNew) { model in
        let data = attribute("photo", .binaryDataAttributeType)
        data.allowsExternalBinaryDataStorage = true
        model.entitiesByName["Location"]?.properties.append(data)
      }
    }
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, model(false))
    let destination = folder.file("New.sqlite")
    try run(manager(model(false), model(true), copies: true), from: url, to: destination)
    let (before, after) = (
      try StoreSnapshot(url, model(false)), try StoreSnapshot(destination, model(true))
    )
    #expect(
      MigrationComparison(before, model(false), after, model(true)).differences == [])
    try FileManager.default.removeItem(at: folder.file(".Events_SUPPORT"))
    #expect(try StoreSnapshot(destination, model(true)) == after)
  }

  /// A new composite attribute has its elements' defaults, whether rows are migrated or objects are made.
  @Test(arguments: [false, true]) func newCompositesHaveTheirElementsDefaults(copies: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    try TestStore.make(url, EventModels.model())
    let new = EventModels.model { model in
      let inner = NSCompositeAttributeDescription()
      inner.name = "accuracy"
      inner.elements = [attribute("meters", .doubleAttributeType, default: 2.5)]
      let place = NSCompositeAttributeDescription()
      (place.name, place.isOptional) = ("place", true)
      place.elements = [
        attribute("floor", .integer16AttributeType, default: 3),
        attribute("hall", .stringAttributeType), inner,
      ]
      model.entitiesByName["Location"]?.properties.append(place)
    }
    let destination = folder.file("New.sqlite")
    try run(manager(EventModels.model(), new, copies: copies), from: url, to: destination)
    let context = try TestStore.open(destination, new)
    let made = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
    let locations = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Location"))
    #expect(locations.count > 1)
    for location in locations + [made] {
      #expect(location.value(forKeyPath: "place.floor") as? Int == 3)
      #expect(location.value(forKeyPath: "place.hall") == nil)
      #expect(location.value(forKeyPath: "place.accuracy.meters") as? Double == 2.5)
    }
  }

  /// Many led to one, without inverse; now each has many, and a member has one owner.
  @Test(arguments: [false, true]) func nobodyLosesMembersToAnotherOwner(copies: Bool) throws {
    let folder = try TemporaryFolder()
    func model(_ most: Int) -> NSManagedObjectModel {
      let (note, tag) = (entity("Note"), entity("Tag"))
      note.properties = [relationship("tags", to: tag, max: most)]
      tag.properties = [attribute("name", .stringAttributeType)]
      return NSManagedObjectModel(of: [note, tag])
    }
    for (count, isRefused) in [(1, false), (2, true)] {
      let url = folder.file("\(count).sqlite")
      let context = try TestStore.open(url, model(1))
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      for _ in 0..<count {
        NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)["tags"] = tag
      }
      try context.save()
      try TestStore.close(context)
      let manager = manager(model(1), model(0), copies: copies)
      guard isRefused else {
        try run(manager, from: url, to: folder.file("new.sqlite"))
        continue
      }
      let error = #expect(throws: NSError.self) {
        try run(manager, from: url, to: folder.file("never.sqlite"))
      }
      #expect(error?.code == NSMigrationError)
      #expect(error?.userInfo["relationship"] as? String == "tags")
    }
  }
}
