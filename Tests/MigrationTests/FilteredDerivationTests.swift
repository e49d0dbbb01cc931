import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Derived attributes that SQL doesn't compute, in migrations: those with a filter, and those of values in files.
@Suite struct FilteredDerivationTests {
  private static func model(title: Bool) -> NSManagedObjectModel {
    EventModels.model(title: title) { model in
      let count = NSDerivedAttributeDescription()
      count.name = "lateCount"
      count.attributeType = .integer64AttributeType
      count.isOptional = true
      count.derivationExpression = PredicateFormat.NSExpression(format: "events.@count")
      count.filteringPredicate = NSPredicate(format: "timestamp > %@", Date.distantFuture as NSDate)
      model.entitiesByName["Location"]?.properties.append(count)
    }
  }

  @Test func valuesStay() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    let context = try TestStore.open(url, Self.model(title: false))
    let location = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
    for _ in 0..<3 {
      let event = NSEntityDescription.insertNewObject(forEntityName: "Event", into: context)
      event["location"] = location
    }
    try context.save()
    try TestStore.close(context)
    // What Core Data has counted.
    try SQLiteConnection(writing: url, creation: .existing)
      .execute("UPDATE ZLOCATION SET ZLATECOUNT = 1")
    let new = Self.model(title: true)
    try TestStore.migrate(url, to: new)
    let migrated = try TestStore.open(url, new)
    let found = try migrated.fetch(NSFetchRequest<NSManagedObject>(entityName: "Location")).first
    #expect(found?["lateCount"] as? Int == 1)
    try TestStore.close(migrated)
  }

  /// What the rows have instead of such a value, a tag and maybe the name of a file, belongs to one row.
  @Test(arguments: [false, true]) func valuesInFilesArentCopied(isExternal: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Events.sqlite")
    func model(_ isDerived: Bool) -> NSManagedObjectModel {
      EventModels.model { model in
        let photo = attribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = isExternal
        model.entitiesByName["Location"]?.properties.append(photo)
        guard isDerived else { return }
        let picture = NSDerivedAttributeDescription()
        picture.name = "picture"
        picture.attributeType = .binaryDataAttributeType
        picture.isOptional = true
        picture.derivationExpression = PredicateFormat.NSExpression(format: "location.photo")
        model.entitiesByName["Event"]?.properties.append(picture)
      }
    }
    let context = try TestStore.open(url, model(false))
    let photos = [Data([7, 8]), Data(repeating: 9, count: 200_000)]
    for photo in photos {
      let location = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
      location["photo"] = photo
      let event = NSEntityDescription.insertNewObject(forEntityName: "Event", into: context)
      event["location"] = location
    }
    try context.save()
    try TestStore.close(context)
    try TestStore.migrate(url, to: model(true))
    let migrated = try TestStore.open(url, model(true))
    let events = try migrated.fetch(NSFetchRequest<NSManagedObject>(entityName: "Event"))
    #expect(events.count == photos.count)
    #expect(Set(events.compactMap { $0["picture"] as? Data }) == (isExternal ? [] : Set(photos)))
    try TestStore.close(migrated)
  }
}
