import CoreData
import Foundation
import Testing

@Suite struct BareObjectTests {
  @Test func `an object may be made without a context`() throws {
    let entity = NSEntityDescription()
    (entity.name, entity.managedObjectClassName) = ("Plain", NSStringFromClass(PlainThing.self))
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let container = NSPersistentContainer(name: "Plain", managedObjectModel: model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let thing = PlainThing()
    #expect(thing.managedObjectContext == nil)
    #expect(thing.entity.name == "Plain")
    #expect(!thing.isInserted)
  }
}

final class PlainThing: NSManagedObject {}
