import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

@Suite(.enabled(if: TestServer.isThere)) struct MigrationTests {
  /// The shop model with renamed entities and other properties, one entity removed and one added.
  private func newShop() -> NSManagedObjectModel {
    let model = TestModel.shop()
    let order = model.entitiesByName["Order"]
    order?.properties.append(
      TestModel.attribute("stars", .integer16AttributeType, optional: false, default: 3))
    if let note = order?.attributesByName["note"] {
      note.name = "remark"
      note.renamingIdentifier = "note"
    }
    model.entities.append(TestModel.entity("Coupon", [TestModel.attribute("code")]))
    model.entitiesByName["Tag"]?.name = "Label"
    model.entitiesByName["Label"]?.renamingIdentifier = "Tag"
    return model
  }

  @Test func inferredMigrationsKeepObjectsAndTheirRelationships() throws {
    let before = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try before.context()
    var objects = RandomObjects(7)
    for _ in 0..<4 { try objects.step(context) }
    let orders = try context.all("Order", sortedBy: "number")
    let expected = orders.map { order in
      [
        order.value(forKey: "note") as? String ?? "nil",
        (order.value(forKey: "customer") as? NSManagedObject)?.value(forKey: "name") as? String
          ?? "nil",
        "\(((order.value(forKey: "tags") as? NSOrderedSet)?.array ?? []).map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String ?? "nil" })",
        "\((order.value(forKey: "watchers") as? NSSet)?.count ?? 0)",
      ]
    }
    #expect(!expected.isEmpty)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newShop())
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
    try coordinator.addPersistentStore(type: .postgreSQL, at: before.url, options: options)
    let after = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    after.persistentStoreCoordinator = coordinator
    let migrated = try after.all("Order", sortedBy: "number")
    let found = migrated.map { order in
      [
        order.value(forKey: "remark") as? String ?? "nil",
        (order.value(forKey: "customer") as? NSManagedObject)?.value(forKey: "name") as? String
          ?? "nil",
        "\(((order.value(forKey: "tags") as? NSOrderedSet)?.array ?? []).map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String ?? "nil" })",
        "\((order.value(forKey: "watchers") as? NSSet)?.count ?? 0)",
      ]
    }
    #expect(found == expected)
    #expect(migrated.allSatisfy { $0.value(forKey: "stars") as? Int == 3 })
    // Programs that had the old store open can no longer write; the new properties can be written.
    orders.first?.setValue("late", forKey: "note")
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    _ = after.insert("Coupon", ["code": "x"])
    _ = after.insert("Label", ["title": "y"])
    try after.save()
  }

  /// A deleted object's key isn't given to another after a migration: its URI and its history are its own.
  @Test func keysAreNotGivenAgain() throws {
    let before = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try before.context()
    let tags = (0..<3).map { context.insert("Tag", ["title": "t\($0)"]) }
    try context.save()
    let known = Set(tags.map { $0.objectID.uriRepresentation().lastPathComponent })
    for tag in tags { context.delete(tag) }
    try context.save()
    let after = try migrated(before.url, to: newShop())
    let labels = (0..<3).map { after.insert("Label", ["title": "l\($0)"]) }
    try after.save()
    let given = Set(labels.map { $0.objectID.uriRepresentation().lastPathComponent })
    #expect(given.count == 3 && given.isDisjoint(with: known))
  }

  /// Rows get the default values of new attributes, of whatever type.
  @Test func newAttributesHaveTheirDefaults() throws {
    let before = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try before.context()
    _ = context.insert("Tag", ["title": "t"])
    try context.save()
    let (uuid, bytes) = (UUID(), Data([0, 0x27, 0x5c, 0xff]))
    let url = URL(string: "https://example.com/it's")
    let date = Date(timeIntervalSinceReferenceDate: 1000.5)
    let model = TestModel.shop()
    model.entitiesByName["Tag"]?.properties += [
      TestModel.attribute("a", .UUIDAttributeType, optional: false, default: uuid),
      TestModel.attribute("b", .binaryDataAttributeType, default: bytes),
      TestModel.attribute("c", .URIAttributeType, default: url),
      TestModel.attribute("d", .dateAttributeType, default: date),
      TestModel.attribute("e", .decimalAttributeType, default: NSDecimalNumber(string: "1.25")),
      TestModel.attribute("f", .booleanAttributeType, default: true),
    ]
    let tag = try #require(try migrated(before.url, to: model).all("Tag").first)
    #expect(tag.value(forKey: "a") as? UUID == uuid)
    #expect(tag.value(forKey: "b") as? Data == bytes)
    #expect(tag.value(forKey: "c") as? URL == url)
    #expect(tag.value(forKey: "d") as? Date == date)
    #expect(tag.value(forKey: "e") as? NSDecimalNumber == NSDecimalNumber(string: "1.25"))
    #expect(tag.value(forKey: "f") as? Bool == true)
  }

  private func migrated(
    _ url: URL, to model: NSManagedObjectModel
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
    try coordinator.addPersistentStore(type: .postgreSQL, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test func manyThatStartAtOnceMigrateOnce() throws {
    let before = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try before.context()
    for number in 0..<500 { _ = context.insert("Order", ["number": number]) }
    try context.save()
    let failures = Counter()
    let url = before.url
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newShop())
      do {
        try coordinator.addPersistentStore(
          type: .postgreSQL, at: url,
          options: [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
            NSPersistentStoreConnectionPoolMaxSizeKey: 16,
          ])
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        if try context.all("Order").count != 500 { failures.add() }
      } catch { failures.add() }
    }
    #expect(failures.value == 0)
  }

  /// Migrations take as long as there are rows: the timeout is for everything else.
  @Test func theTimeoutDoesntEndAMigration() throws {
    let before = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try before.context()
    for number in 0..<3 { _ = context.insert("Order", ["number": number]) }
    try context.save()
    // A writer that holds the lock for longer than the timeout.
    let schema = try #require(before.url.query?.split(separator: "=").last.map(String.init))
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    writer.arguments = [
      "psql", "-q", "-X", TestServer.address ?? "", "-c",
      "BEGIN; SET search_path TO \(schema); SELECT pg_advisory_xact_lock_shared(hashtext('MomKit'), "
        + "hashtext('\(schema)')); SELECT pg_sleep(4); COMMIT",
    ]
    writer.standardOutput = FileHandle.nullDevice
    try writer.run()
    usleep(1_000_000)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newShop())
    try coordinator.addPersistentStore(
      type: .postgreSQL, at: before.url,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true, NSPersistentStoreTimeoutOption: 0.5,
      ])
    writer.waitUntilExit()
    #expect(writer.terminationStatus == 0)
  }

  @Test func mappingModelsAndStagesAreRefused() throws {
    let before = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try before.context()
    _ = context.insert("Order", ["number": 1])
    try context.save()
    let new = newShop()
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: before.model, destinationModel: new)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
    for (key, value) in [
      (MomKitMigrationMappingModelOption, mapping as Any),
      (NSPersistentStoreStagedMigrationManagerOptionKey, NSStagedMigrationManager([]) as Any),
    ] {
      let error = #expect(throws: NSError.self) {
        try coordinator.addPersistentStore(
          type: .postgreSQL, at: before.url,
          options: [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true, key: value,
          ])
      }
      #expect(error?.code == NSMigrationMissingMappingModelError)
    }
    #expect(try before.context().all("Order").count == 1)
  }

  @Test func whatCantBeInferredLeavesTheStore() throws {
    let before = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try before.context()
    _ = context.insert("Order", ["number": 1])
    _ = context.insert("Tag", ["title": "same"])
    _ = context.insert("Tag", ["title": "same"])
    try context.save()
    let unique = TestModel.shop()
    unique.entitiesByName["Tag"]?.uniquenessConstraints = [["title"]]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: unique)
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        type: .postgreSQL, at: before.url,
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ])
    }
    #expect(error?.code == NSMigrationConstraintViolationError)
    #expect(try before.context().all("Tag").count == 2)
  }
}

/// A counter that threads increment.
final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0
  func add(_ number: Int = 1) { lock.withLock { count += number } }
  var value: Int { lock.withLock { count } }
}
