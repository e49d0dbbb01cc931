import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Rows and counters written by other programs must not make the program trap or hang.
@Suite struct ForeignRowTests {
  private let folder: TemporaryFolder
  private var url: URL { folder.file("store.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private func model(hierarchy: Bool) -> NSManagedObjectModel {
    let animal = entity("Animal")
    animal.properties = [attribute("name", .stringAttributeType)]
    let owner = entity("Owner")
    owner.properties = [
      attribute("name", .stringAttributeType), relationship("pet", to: animal, max: 1),
    ]
    let keeper = relationship("keeper", to: owner, max: 1)
    animal.properties.append(keeper)
    let pet = owner.relationshipsByName["pet"]
    pet?.inverseRelationship = keeper
    keeper.inverseRelationship = pet
    guard hierarchy else { return NSManagedObjectModel(of: [animal, owner]) }
    let dog = entity("Dog")
    animal.subentities = [dog]
    return NSManagedObjectModel(of: [animal, owner, dog])
  }

  private func filled(hierarchy: Bool, history: Bool = false) throws -> NSManagedObjectContext {
    let context = try TestStore.open(
      url, model(hierarchy: hierarchy),
      options: history ? [NSPersistentHistoryTrackingKey: true] : nil)
    for name in ["a", "b", "c"] {
      let animal = NSEntityDescription.insertNewObject(forEntityName: "Animal", into: context)
      animal.setValue(name, forKey: "name")
    }
    try context.save()
    context.reset()
    return context
  }

  private func execute(_ sql: String) throws {
    try SQLiteConnection(writing: url, creation: .existing).execute(sql)
  }

  private func names(_ context: NSManagedObjectContext) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Animal")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
  }

  // Inserted with plain SQL without an entity number, as people do.
  @Test(arguments: ["NULL", "0", "77", "-9223372036854775808", "'Animal'"], [false, true])
  func batchesMeetRowsWithoutTheirEntitysNumber(number: String, history: Bool) throws {
    let context = try filled(hierarchy: false, history: history)
    try execute("UPDATE ZANIMAL SET Z_ENT = \(number) WHERE ZNAME = 'b'")
    #expect(try names(context) == ["a", "b", "c"])
    let update = NSBatchUpdateRequest(entityName: "Animal")
    update.propertiesToUpdate = ["name": "x"]
    update.predicate = NSPredicate(format: "name == 'b'")
    update.resultType = .updatedObjectIDsResultType
    let updated = try context.execute(update) as? NSBatchUpdateResult
    #expect((updated?.result as? [NSManagedObjectID])?.count == 1)
    context.reset()
    #expect(try names(context) == ["a", "c", "x"])
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Animal")
    request.predicate = NSPredicate(format: "name == 'x'")
    let delete = NSBatchDeleteRequest(fetchRequest: request)
    delete.resultType = .resultTypeObjectIDs
    let deleted = try context.execute(delete) as? NSBatchDeleteResult
    #expect((deleted?.result as? [NSManagedObjectID])?.first?.entity.name == "Animal")
    context.reset()
    #expect(try names(context) == ["a", "c"])
  }

  @Test(arguments: ["NULL", "0", "77", "-9223372036854775808", "'Animal'"])
  func rowsOfNoEntityOfAHierarchyAreErrors(number: String) throws {
    let context = try filled(hierarchy: true)
    try execute("UPDATE ZANIMAL SET Z_ENT = \(number) WHERE ZNAME = 'b'")
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Animal")
    let error = #expect(throws: NSError.self) { try names(context) }
    #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
    let deletion = NSBatchDeleteRequest(fetchRequest: request)
    let refusal = #expect(throws: NSError.self) { try context.execute(deletion) }
    #expect(refusal?.code == NSPersistentStoreIncompatibleSchemaError)
    // All or nothing: the other rows still exist.
    try execute("UPDATE ZANIMAL SET Z_ENT = 1 WHERE ZNAME = 'b'")
    context.reset()
    #expect(try names(context) == ["a", "b", "c"])
  }

  @Test(arguments: ["NULL", "'many'", "x'00'", "-5", "1.5"])
  func aCounterThatIsNoNumberIsPutRight(value: String) throws {
    let context = try filled(hierarchy: false)
    try execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(value)")
    let animal = NSEntityDescription.insertNewObject(forEntityName: "Animal", into: context)
    animal.setValue("d", forKey: "name")
    try context.save()
    context.reset()
    #expect(try names(context) == ["a", "b", "c", "d"])
    let connection = try SQLiteConnection.reading(url)
    #expect(try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Animal'") == 4)
  }

  @Test(arguments: ["a b", "a;DROP TABLE ZOWNER;--", "a\"", "a'b", "a-b", "a(b"])
  func namesThatAreMoreThanNamesAreRefused(name: String) throws {
    let odd = entity(name)
    odd.properties = [attribute("name", .stringAttributeType)]
    #expect(throws: (any Error).self) {
      try TestStore.open(url, NSManagedObjectModel(of: [odd]))
    }
    let plain = entity("Größe$_1")
    plain.properties = [attribute("wörter", .stringAttributeType)]
    let context = try TestStore.open(folder.file("plain.sqlite"), NSManagedObjectModel(of: [plain]))
    let object = NSEntityDescription.insertNewObject(forEntityName: "Größe$_1", into: context)
    object.setValue("x", forKey: "wörter")
    try context.save()
  }

  @Test func indexesMayHaveAnyName() throws {
    let animal = entity("Animal")
    let name = attribute("name", .stringAttributeType)
    animal.properties = [name]
    animal.indexes = [
      NSFetchIndexDescription(
        name: "by name; \"odd\"",
        elements: [NSFetchIndexElementDescription(property: name, collationType: .binary)])
    ]
    let context = try TestStore.open(url, NSManagedObjectModel(of: [animal]))
    try TestStore.close(context)
    let connection = try SQLiteConnection.reading(url)
    #expect(
      try connection.integer(
        "SELECT count(*) FROM sqlite_master WHERE name = 'Z_Animal_by name; \"odd\"'") == 1)
  }

  // A row that was inserted without a version has the version 0 as it is read, and so for its next writer.
  @Test(arguments: ["NULL", "'x'", "0"])
  func rowsWithoutAVersionCanBeWritten(version: String) throws {
    let context = try filled(hierarchy: false)
    try execute("UPDATE ZANIMAL SET Z_OPT = \(version)")
    let animals = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Animal"))
    animals[0].setValue("changed", forKey: "name")
    try context.save()
    context.delete(animals[1])
    try context.save()
    let update = NSBatchUpdateRequest(entityName: "Animal")
    update.propertiesToUpdate = ["name": "all"]
    _ = try context.execute(update)
    context.reset()
    #expect(try names(context) == ["all", "all"])
    let connection = try SQLiteConnection.reading(url)
    #expect(try connection.integer("SELECT count(*) FROM ZANIMAL WHERE Z_OPT IS NULL") == 0)
  }

  // Read as objects of the table's only entity, they continue as such.
  @Test(arguments: ["NULL", "77", "'Animal'"])
  func migrationsKeepRowsWithoutTheirEntitysNumber(number: String) throws {
    try TestStore.close(try filled(hierarchy: false))
    try execute("UPDATE ZANIMAL SET Z_ENT = \(number) WHERE ZNAME <> 'a'")
    let changed = model(hierarchy: false)
    changed.entitiesByName["Animal"]?.properties.append(attribute("age", .integer16AttributeType))
    let context = try TestStore.open(url, changed, options: TestStore.migrating)
    #expect(try names(context) == ["a", "b", "c"])
  }

  @Test func migrationsRefuseRowsOfNoEntity() throws {
    try TestStore.close(try filled(hierarchy: true))
    try execute("UPDATE ZANIMAL SET Z_ENT = 77 WHERE ZNAME <> 'a'")
    let changed = model(hierarchy: true)
    changed.entitiesByName["Animal"]?.properties.append(attribute("age", .integer16AttributeType))
    #expect(throws: (any Error).self) {
      try TestStore.open(url, changed, options: TestStore.migrating)
    }
    #expect(try SQLiteConnection.reading(url).integer("SELECT count(*) FROM ZANIMAL") == 3)
  }

  @Test(arguments: [Int64.max, Int64.min])
  func historysCounterMayBeAtItsEnd(number: Int64) throws {
    let context = try filled(hierarchy: false, history: true)
    let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
    let token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(
      fromStores: [store])
    try execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = \(number) WHERE Z_ENT >= 16000; "
        + "UPDATE ATRANSACTION SET Z_PK = \(number)")
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    _ = try? context.execute(request)
    try TestStore.close(context)
    let changed = model(hierarchy: false)
    changed.entitiesByName["Animal"]?.properties.append(attribute("age", .integer16AttributeType))
    let migrated = try? TestStore.open(
      url, changed,
      options: TestStore.migrating.merging([NSPersistentHistoryTrackingKey: true]) { $1 })
    if let migrated { #expect(try names(migrated) == ["a", "b", "c"]) }
  }

  // A conversion would make 0 of it without a word.
  @Test func migrationsRefuseTextInNumbers() throws {
    func counted(_ type: NSAttributeType) -> NSManagedObjectModel {
      let thing = entity("Thing")
      thing.properties = [attribute("count", type)]
      return NSManagedObjectModel(of: [thing])
    }
    let writer = try TestStore.open(url, counted(.integer32AttributeType))
    _ = Library.new("Thing", ["count": 3], in: writer)
    try writer.save()
    try TestStore.close(writer)
    try execute("UPDATE ZTHING SET ZCOUNT = 'abc'")
    #expect(throws: (any Error).self) {
      try TestStore.open(url, counted(.doubleAttributeType), options: TestStore.migrating)
    }
    try execute("UPDATE ZTHING SET ZCOUNT = 4")
    let context = try TestStore.open(
      url, counted(.doubleAttributeType), options: TestStore.migrating)
    #expect(try Library.all("Thing", in: context).map { $0["count"] as? Double } == [4])
  }

  @Test(arguments: [NSXMLStoreType, NSBinaryStoreType, NSSQLiteStoreType])
  func movesTakeObjectsOfAbstractEntitiesAlong(type: String) throws {
    let changed = model(hierarchy: true)
    changed.entitiesByName["Animal"]?.isAbstract = true
    let context = try TestStore.open(url, changed)
    _ = Library.new("Animal", ["name": "a"], in: context)
    _ = Library.new("Dog", ["name": "b"], in: context)
    try context.save()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let store = try #require(coordinator.persistentStores.first)
    _ = try coordinator.migratePersistentStore(
      store, to: folder.file("moved"), options: nil, withType: type)
    #expect(try names(TestStore.context(coordinator)) == ["a", "b"])
  }
}
