import Foundation
import MomKit
import SharedTables
import Testing

/// A store engine from another package supports everything that contexts need.
@Suite struct SharedTablesTests {
  private let model: NSManagedObjectModel
  private let url: URL

  init() throws {
    SharedTables.register()
    let name = NSAttributeDescription()
    (name.name, name.type) = ("name", .string)
    let born = NSAttributeDescription()
    (born.name, born.type) = ("born", .date)
    let (boss, staff) = (NSRelationshipDescription(), NSRelationshipDescription())
    (boss.name, boss.maxCount, staff.name) = ("boss", 1, "staff")
    let person = NSEntityDescription()
    person.name = "Person"
    for (one, other) in [(boss, staff), (staff, boss)] {
      (one.destinationEntity, one.inverseRelationship) = (person, other)
    }
    person.properties = [name, born, boss, staff]
    model = NSManagedObjectModel()
    model.entities = [person]
    url = try #require(URL(string: "tables:\(UUID().uuidString)"))
  }

  /// A client of the database.
  private func client() throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(type: SharedTables.storeType, at: url)
    #expect(store.type == "SharedTables")
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func person(_ name: String, in context: NSManagedObjectContext) -> NSManagedObject {
    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    person.setValue(name, forKey: "name")
    return person
  }

  private func people(
    _ context: NSManagedObjectContext, _ predicate: NSPredicate? = nil
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.predicate = predicate
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try context.fetch(request)
  }

  @Test func whatOneClientSavesAnotherFetches() throws {
    let writer = try client()
    let birthday = Date(timeIntervalSinceReferenceDate: 12_345.5)
    try writer.performAndWait {
      let ada = person("Ada", in: writer)
      ada.setValue(birthday, forKey: "born")
      let bob = person("Bob", in: writer)
      bob.setValue(ada, forKey: "boss")
      try writer.save()
      #expect(!bob.objectID.isTemporaryID)
    }
    let reader = try client()
    try reader.performAndWait {
      let found = try people(reader)
      #expect(found.map { $0.value(forKey: "name") as? String } == ["Ada", "Bob"])
      #expect(found[0].value(forKey: "born") as? Date == birthday)
      #expect(found[1].value(forKey: "boss") as? NSManagedObject === found[0])
      #expect(found[0].value(forKey: "staff") as? Set<NSManagedObject> == [found[1]])
      let bobs = try people(reader, NSPredicate(format: "name BEGINSWITH %@", "B"))
      #expect(bobs == [found[1]])
    }
  }

  @Test func whatTwoClientsChangeIsAConflict() throws {
    let (one, other) = (try client(), try client())
    try one.performAndWait {
      _ = person("Ada", in: one)
      try one.save()
    }
    try other.performAndWait { try people(other)[0].setValue("Bea", forKey: "name") }
    try one.performAndWait {
      try people(one)[0].setValue("Cleo", forKey: "name")
      try one.save()
    }
    try other.performAndWait {
      let error = #expect(throws: NSError.self) { try other.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
      #expect(conflicts?.first?.cachedSnapshot?["name"] as? String == "Cleo")
      other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try other.save()
    }
    let reader = try client()
    try reader.performAndWait {
      let names = try people(reader).map { $0.value(forKey: "name") as? String }
      #expect(names == ["Bea"])
    }
  }

  @Test func deletedRowsAreGone() throws {
    let (one, other) = (try client(), try client())
    try one.performAndWait {
      _ = person("Ada", in: one)
      try one.save()
      try people(one).forEach(one.delete)
      try one.save()
    }
    try other.performAndWait {
      let found = try people(other)
      #expect(found.isEmpty)
    }
  }

  @Test func batchesAreRefused() throws {
    let context = try client()
    let request = NSBatchDeleteRequest(
      fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Person"))
    let error = #expect(throws: NSError.self) {
      try context.performAndWait { try context.execute(request) }
    }
    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
  }
}
