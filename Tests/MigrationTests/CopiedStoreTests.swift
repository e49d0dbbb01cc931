import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Moving a store to another type copies what is in it, whatever the program's classes do.
@Suite struct CopiedStoreTests {
  private static func model(_ className: String?) -> NSManagedObjectModel {
    let meddler = entity(
      "Meddler",
      [attribute("name", .stringAttributeType), attribute("note", .stringAttributeType)])
    if let className { meddler.managedObjectClassName = className }
    return NSManagedObjectModel(of: [
      meddler, entity("Log", [attribute("name", .stringAttributeType)]),
    ])
  }

  @Test(arguments: [
    (NSSQLiteStoreType, NSXMLStoreType), (NSXMLStoreType, NSSQLiteStoreType),
    (NSBinaryStoreType, NSInMemoryStoreType),
  ])
  func classesDoNothing(_ old: String, _ new: String) throws {
    MeddlingObject.register()
    let folder = try TemporaryFolder()
    let (url, target) = (folder.file("Original"), folder.file("Copy"))
    let plain = try TestStore.coordinator(Self.model(nil), at: url, type: old)
    let maker = TestStore.context(plain)
    for name in ["one", "two"] {
      let object = NSEntityDescription.insertNewObject(forEntityName: "Meddler", into: maker)
      (object["name"], object["note"]) = (name, "n")
    }
    try maker.save()
    try TestStore.close(maker)

    let coordinator = try TestStore.coordinator(
      Self.model("MeddlingObject"), at: url, type: old)
    let store = try #require(coordinator.persistentStores.first)
    let moved = try coordinator.migratePersistentStore(
      store, to: target, options: nil, withType: new)
    #expect(coordinator.persistentStores == [moved])
    let context = TestStore.context(coordinator)
    let request = NSFetchRequest<NSDictionary>(entityName: "Meddler")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["name", "note"]
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    #expect(
      try context.fetch(request) == [["name": "one", "note": "n"], ["name": "two", "note": "n"]])
    let logs = NSFetchRequest<NSManagedObject>(entityName: "Log")
    #expect(try context.count(for: logs) == 0)
    // Later objects are the program's again.
    let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Meddler"))
    #expect(objects.allSatisfy { $0 is MeddlingObject })
    try TestStore.close(context)
    let former = TestStore.context(try TestStore.coordinator(Self.model(nil), at: url, type: old))
    #expect(try former.count(for: logs) == 0)
  }
}

/// Changes itself, makes other objects, and is never valid.
final class MeddlingObject: NSManagedObject {
  override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue("inserted", forKey: "note")
    guard let managedObjectContext else { return }
    _ = NSEntityDescription.insertNewObject(forEntityName: "Log", into: managedObjectContext)
  }

  override func willSave() {
    super.willSave()
    if primitiveValue(forKey: "note") as? String != "saved" { setValue("saved", forKey: "note") }
  }

  override func validateForInsert() throws {
    throw CocoaError(.validationMissingMandatoryProperty)
  }
}
