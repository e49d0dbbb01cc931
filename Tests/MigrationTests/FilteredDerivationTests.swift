import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Derived attributes with a filter, which SQL doesn't compute, in migrations.
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
}
