import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Staged migration.
@Suite struct StagedMigrationTests {
  /// Four versions: `fullName` is added, then split in a custom stage, then something is added.
  static func model(_ version: Int) -> NSManagedObjectModel {
    let person = entity("Person")
    let names = [
      ["fullName"], ["fullName", "age"], ["age", "first", "last"],
      ["age", "first", "last", "mail"],
    ]
    person.properties = names[version - 1].map {
      attribute($0, $0 == "age" ? .integer16AttributeType : .stringAttributeType)
    }
    if version == 2 {
      // Both forms exist while objects are changed.
      person.properties += ["first", "last"].map { attribute($0, .stringAttributeType) }
    }
    return NSManagedObjectModel(of: [person])
  }

  static func reference(_ version: Int) -> NSManagedObjectModelReference {
    let model = model(version)
    return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
  }

  private func stages(
    _ handler: @escaping (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void,
    did: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)? = nil
  ) -> NSStagedMigrationManager {
    let custom = NSCustomMigrationStage(migratingFrom: Self.reference(2), to: Self.reference(3))
    custom.willMigrateHandler = handler
    custom.didMigrateHandler = did
    return NSStagedMigrationManager([
      NSLightweightMigrationStage([1, 2].map { Self.model($0).versionChecksum }), custom,
      NSLightweightMigrationStage([3, 4].map { Self.model($0).versionChecksum }),
    ])
  }

  private func split(_ manager: NSStagedMigrationManager, _ stage: NSCustomMigrationStage) throws {
    let context = try #require(manager.container?.newBackgroundContext())
    try context.performAndWait {
      for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
        let parts = (person["fullName"] as? String ?? "").split(separator: " ").map(String.init)
        (person["first"], person["last"]) = (parts.first, parts.last)
      }
      try context.save()
    }
  }

  private func make(_ url: URL, _ version: Int) throws {
    let context = try TestStore.open(url, Self.model(version))
    for name in ["Ada Lovelace", "Konrad Zuse"] {
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      if version < 3 {
        person["fullName"] = name
      } else {
        (person["first"], person["last"]) = ("\(name.prefix(3))", "\(name.suffix(4))")
      }
    }
    try context.save()
    try TestStore.close(context)
  }

  private func migrate(_ url: URL, _ stages: NSStagedMigrationManager) throws {
    try TestStore.migrate(
      url, to: Self.model(4), options: [NSPersistentStoreStagedMigrationManagerOptionKey: stages])
  }

  @Test(arguments: 1...3) func everyVersionGetsThere(version: Int) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("People.sqlite")
    try make(url, version)
    let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url)
    let calls = Calls()
    let manager = stages(
      { manager, stage in
        calls.list.append("will \(manager.container?.managedObjectModel.versionChecksum ?? "")")
        try split(manager, stage)
      },
      did: { manager, _ in
        calls.list.append("did \(manager.container?.managedObjectModel.versionChecksum ?? "")")
      })
    try migrate(url, manager)
    #expect(
      calls.list
        == (version == 3
          ? []
          : ["will \(Self.model(2).versionChecksum)", "did \(Self.model(3).versionChecksum)"]))
    #expect(manager.container == nil)
    let rows = try StoreSnapshot(url, Self.model(4)).entities["Person"] ?? [:]
    #expect(
      rows.values.compactMap { $0["first"]?.first }.sorted()
        == (version == 3 ? ["Ada", "Kon"] : ["Ada", "Konrad"]))
    #expect(rows.keys.sorted() == [1, 2])
    let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url)
    #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
    #expect(try StoreChecker(url, model: Self.model(4)).findings() == [])
    #expect(try StoreFile(at: url.path).verify().isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
        !$0.hasPrefix("People.sqlite")
      } == [])
  }

  private final class Calls: @unchecked Sendable { var list: [String] = [] }

  @Test func aFailingHandlerUndoesAllStages() throws {
    struct Failure: Error {}
    let folder = try TemporaryFolder()
    let url = folder.file("People.sqlite")
    try make(url, 1)
    let (bytes, before) = (try Data(contentsOf: url), try StoreSnapshot(url, Self.model(1)))
    #expect(throws: Failure.self) {
      try migrate(
        url,
        stages(
          { manager, stage in try split(manager, stage) }, did: { _, _ in throw Failure() }))
    }
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try StoreSnapshot(url, Self.model(1)) == before)
  }

  @Test func anUnknownVersionOrModelIsRefused() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("People.sqlite")
    try make(url, 1)
    var error = #expect(throws: NSError.self) {
      try migrate(
        url, NSStagedMigrationManager([NSLightweightMigrationStage(["unknown"])]))
    }
    #expect(
      (error?.userInfo["reason"] as? String)?.hasPrefix(
        "Cannot use staged migration with an unknown model version.") == true)
    let lost = NSManagedObjectModelReference(model: Self.model(2), versionChecksum: "wrong")
    error = #expect(throws: NSError.self) {
      try migrate(
        url,
        NSStagedMigrationManager([
          NSLightweightMigrationStage([Self.model(1).versionChecksum]),
          NSCustomMigrationStage(migratingFrom: lost, to: Self.reference(3)),
          NSLightweightMigrationStage([Self.model(4).versionChecksum]),
        ]))
    }
    #expect(error?.code == 134504)
    // Stages that end too early.
    error = #expect(throws: NSError.self) {
      try migrate(
        url,
        NSStagedMigrationManager([
          NSLightweightMigrationStage([Self.model(1).versionChecksum]),
          NSCustomMigrationStage(migratingFrom: Self.reference(2), to: Self.reference(3)),
        ]))
    }
    #expect(error?.code == 134504)
    #expect(
      (error?.userInfo["reason"] as? String)?.hasPrefix(
        "Cannot use staged migration with an unknown coordinator model version.") == true)
    #expect(try StoreSnapshot(url, Self.model(1)).count == 2)
  }

  /// An app of an older version meets a newer store.
  @Test(arguments: [(2, 1), (3, 2), (4, 3), (4, 1)]) func noStageLeadsBack(
    stored: Int, current: Int
  ) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("People.sqlite")
    try make(url, stored)
    let before = try StoreSnapshot(url, Self.model(stored))
    let error = #expect(throws: NSError.self) {
      try TestStore.migrate(
        url, to: Self.model(current),
        options: [
          NSPersistentStoreStagedMigrationManagerOptionKey: stages({ _, _ in
            Issue.record("a handler was called")
          })
        ])
    }
    #expect(error?.code == NSStagedMigrationBackwardMigrationError)
    #expect(try StoreSnapshot(url, Self.model(stored)) == before)
  }

  /// Stages that lead beyond the model aren't performed, as what they drop couldn't be brought back.
  @Test(arguments: [false, true]) func theStagesEndWithTheModel(isLonger: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("People.sqlite")
    try make(url, 1)
    let custom = NSCustomMigrationStage(migratingFrom: Self.reference(2), to: Self.reference(3))
    custom.willMigrateHandler = { _, _ in Issue.record("a handler was called") }
    let first = NSLightweightMigrationStage([Self.model(1).versionChecksum])
    let last = NSLightweightMigrationStage([Self.model(4).versionChecksum])
    try TestStore.migrate(
      url, to: Self.model(2),
      options: [
        NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(
          [first, custom] + (isLonger ? [last] : []))
      ])
    let rows = try StoreSnapshot(url, Self.model(2)).entities["Person"] ?? [:]
    #expect(
      rows.values.compactMap { $0["fullName"]?.first }.sorted() == ["Ada Lovelace", "Konrad Zuse"])
  }

  /// Where one stage ends and the next begins, no version is named twice.
  @Test func noStageLeadsBackToTheVersionBeforeIt() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("People.sqlite")
    try make(url, 2)
    let custom = NSCustomMigrationStage(migratingFrom: Self.reference(2), to: Self.reference(3))
    let first = NSLightweightMigrationStage([Self.model(1).versionChecksum])
    let error = #expect(throws: NSError.self) {
      try TestStore.migrate(
        url, to: Self.model(1),
        options: [
          NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([
            first, custom,
          ])
        ])
    }
    #expect(error?.code == NSStagedMigrationBackwardMigrationError)
  }

  /// The order of the list is that of the versions.
  @Test func stagesInTheWrongOrderAreRefused() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("People.sqlite")
    try make(url, 1)
    let custom = NSCustomMigrationStage(migratingFrom: Self.reference(1), to: Self.reference(2))
    let error = #expect(throws: NSError.self) {
      try migrate(
        url,
        NSStagedMigrationManager([
          NSLightweightMigrationStage([3, 4].map { Self.model($0).versionChecksum }), custom,
        ]))
    }
    #expect(error?.code == NSStagedMigrationBackwardMigrationError)
  }

  @Test func referencesFindTheirModels() throws {
    let folder = try TemporaryFolder()
    let model = Self.model(2)
    try model.write(to: folder.file("People 2.mom"))
    let checksum = model.versionChecksum
    let bundle = try #require(Bundle(path: folder.url.path))
    for reference in [
      NSManagedObjectModelReference(
        fileURL: folder.file("People 2.mom"), versionChecksum: checksum),
      NSManagedObjectModelReference(name: "People 2", in: bundle, versionChecksum: checksum),
      NSManagedObjectModelReference(
        entityVersionHashes: model.entityVersionHashesByName, in: bundle,
        versionChecksum: checksum),
    ] {
      #expect(reference.resolvedModel.versionChecksum == checksum)
      #expect(reference.resolvedModel === reference.resolvedModel)
    }
    #expect(throws: ModelFileError.self) {
      try NSManagedObjectModelReference(name: "Nobody", in: bundle, versionChecksum: checksum)
        .resolve()
    }
  }
}
