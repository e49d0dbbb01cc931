import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects made with an entity of another instance of their context's model.
@Suite struct OtherModelTests {
  private func model() -> NSManagedObjectModel {
    SmallModel.model(SmallModel.entity("Person", [SmallModel.text("name")]))
  }

  /// No fetch would find it after the save.
  @Test(arguments: [
    NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType,
  ]) func noStoreTakesThem(type: String) throws {
    let folder = try TemporaryFolder()
    let other = model()
    let entity = try #require(other.entitiesByName["Person"])
    let coordinator = try TestStore.coordinator(model(), at: folder.file("a"), type: type)
    let store = try #require(coordinator.persistentStores.first)
    let context = TestStore.context(coordinator)
    for isAssigned in [false, true] {
      let person = NSManagedObject(entity: entity, insertInto: nil)
      context.insert(person)
      if isAssigned { context.assign(person, to: store) }
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
      #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [person])
      #expect(person.isInserted)
      context.delete(person)
      try context.save()
    }
    // Made in the context, it has the context's entity.
    let person = NSManagedObject(entity: entity, insertInto: context)
    person["name"] = "Ada"
    try context.save()
    #expect(try SmallModel.all("Person", TestStore.context(coordinator)).count == 1)
    withExtendedLifetime(other) {}
  }
}
