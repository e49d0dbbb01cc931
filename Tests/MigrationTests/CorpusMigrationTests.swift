import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Copies of real stores are migrated to a changed model, and keep all contents.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CorpusMigrationTests {
  private static let compiled = Corpus.files(ofKind: "mom").compactMap {
    NSManagedObjectModel(contentsOf: $0.url)
  }

  @Test func realStoresMigrateToAChangedModel() throws {
    let folder = try TemporaryFolder()
    var migrated: [URL] = []
    var compared = 0
    for (index, file) in Corpus.files(ofKind: "sqlite").enumerated() {
      let copy = folder.file("\(index).sqlite")
      for suffix in ["", "-wal"]
      where FileManager.default.fileExists(atPath: file.url.path + suffix) {
        try FileManager.default.copyItem(
          atPath: file.url.path + suffix, toPath: copy.path + suffix)
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
      }
      let store = try StoreFile(at: copy.path)
      let hashes = store.metadata.entityHashes
      let found =
        try store.cachedModel() ?? Self.compiled.first { $0.entityVersionHashesByName == hashes }
      guard let old = found else { continue }
      let new = try #require(old.copy() as? NSManagedObjectModel)
      change(new)
      let before = try StoreSnapshot(copy, old)
      var options = TestStore.migrating
      options[MomKitMigrationSourceModelOption] = old
      do { try TestStore.migrate(copy, to: new, options: options) } catch {
        Issue.record("\(file.path): \(error)")
        continue
      }
      let comparison = MigrationComparison(before, old, try StoreSnapshot(copy, new), new)
      #expect(comparison.differences.prefix(5) == [], "\(file.path)")
      compared += comparison.comparedCount
      migrated.append(copy)
    }
    #expect(migrated.count >= 12)
    #expect(compared > 3000)
    let findings = try StoreOracle.findings(migrated, in: folder)
    #expect(findings == [:])
  }

  /// A real mapping model, compiled by Xcode, with a policy class of the test under its name.
  @Test func aRealMappingModelMigratesARealStore() throws {
    let fixtures = Corpus.root.appendingPathComponent(
      "alemar11+CoreDataPlus/Tests/Resources/SampleModel/Fixtures")
    let bundle = fixtures.appendingPathComponent("SampleModel.momd")
    let (old, new) = (
      try NSManagedObjectModel(loading: bundle.path, version: "SampleModel2"),
      try NSManagedObjectModel(loading: bundle.path, version: "SampleModel3")
    )
    let found = NSMappingModel(
      from: [try #require(Bundle(path: fixtures.path))], forSourceModel: old, destinationModel: new)
    let mapping = try #require(found)
    #expect(mapping.entityMappings.count == 5)
    V2to3MakerPolicy.register()
    let folder = try TemporaryFolder()
    let destination = folder.file("New.sqlite")
    let source = fixtures.appendingPathComponent("SampleModel_V2.sqlite")
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    try manager.migrateStore(
      from: source, type: .sqlite, mapping: mapping, to: destination, type: .sqlite)
    let (before, after) = (try StoreSnapshot(source, old), try StoreSnapshot(destination, new))
    for entity in ["Person", "SportCar", "Car"] {
      #expect(after.entities[entity]?.count == before.entities[entity]?.count)
    }
    func listing(_ rows: [Int64: StoreSnapshot.Row]?, _ names: [String]) -> [String] {
      (rows ?? [:]).values.map { row in
        names.map { row[$0]?.first ?? "nil" }.joined(separator: " ")
      }.sorted()
    }
    let names = ["model", "numberPlate", "markedForDeletionAsOf"]
    #expect(
      listing(after.entities["Car"], names) == listing(before.entities["Car"], names))
    func owned(_ snapshot: StoreSnapshot) -> Int {
      (snapshot.entities["Person"] ?? [:]).values.reduce(0) { $0 + ($1["cars"]?.count ?? 0) }
    }
    #expect(owned(after) == owned(before))
    #expect(owned(after) > 50)
    // The mapping also makes every car's owner a previous one.
    #expect(
      (after.entities["Car"] ?? [:]).values.allSatisfy { $0["previousOwners"] == $0["owner"] })
    #expect((after.entities["Maker"]?.count ?? 0) > 1)
    #expect((after.entities["Car"] ?? [:]).values.allSatisfy { $0["createdBy"]?.count == 1 })
    #expect(try StoreChecker(destination, model: new).findings() == [])
    #expect(try StoreOracle.findings([destination], in: folder) == [:])
  }

  /// A new entity that renumbers all others, a new attribute and a renamed one in every hierarchy, and a renamed root
  /// entity.
  private func change(_ model: NSManagedObjectModel) {
    let first = entity("AAFirst", [attribute("title", .stringAttributeType)])
    let roots = model.entities.filter { $0.superentity == nil }
    for (index, entity) in roots.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }).enumerated() {
      let constrained = Set(
        (entity.subentities + [entity]).flatMap(\.uniquenessConstraints)
          .flatMap { $0.compactMap { $0 as? String } })
      let plain = entity.attributesByName.values.filter {
        !$0.isTransient && $0.attributeType == .stringAttributeType
          && !constrained.contains($0.name) && $0.indexesContainingIt(in: entity).isEmpty
          && !($0 is NSDerivedAttributeDescription)
      }.min { $0.name < $1.name }
      if let plain {
        let name = plain.name
        plain.name = name + "Anew"
        plain.renamingIdentifier = name
      }
      entity.properties.append(
        attribute("addedCount", .integer32AttributeType, default: 7))
      if index == 0, let name = entity.name {
        entity.renamingIdentifier = name
        entity.name = "ZZ" + name
      }
    }
    model.entities.append(first)
  }
}

extension NSAttributeDescription {
  /// The indexes of an entity or its subentities that contain the attribute.
  fileprivate func indexesContainingIt(
    in entity: NSEntityDescription
  ) -> [NSFetchIndexDescription] {
    var pending = [entity]
    var found: [NSFetchIndexDescription] = []
    while let next = pending.popLast() {
      pending += next.subentities
      found += next.indexes.filter { $0.elements.contains { $0.propertyName == name } }
    }
    return found
  }
}

/// Converts a car's maker, a string, to an object shared by its cars.
final class V2to3MakerPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let car = try #require(
      manager.destinationInstances(
        forEntityMappingName: mapping.name ?? "", sourceInstances: [sInstance]
      ).first)
    let name = sInstance["maker"] as? String ?? "unknown"
    var makers = manager.userInfo as? [String: NSManagedObject] ?? [:]
    let maker =
      makers[name]
      ?? NSEntityDescription.insertNewObject(
        forEntityName: "Maker", into: manager.destinationContext)
    maker["name"] = name
    makers[name] = maker
    manager.userInfo = makers
    car["createdBy"] = maker
  }
}
