import CompiledModel
import Foundation
import ManagedModel
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects
@testable import SQLiteStore

/// Copies of real stores are brought to a changed model, and keep everything.
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

  /// A new entity that renumbers all others, a new attribute and a renamed one in every hierarchy, and
  /// one hierarchy's root under another name.
  private func change(_ model: NSManagedObjectModel) {
    let first = NSEntityDescription()
    first.name = "AAFirst"
    first.properties = [EventModels.attribute("title", .stringAttributeType)]
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
        EventModels.attribute("addedCount", .integer32AttributeType, default: 7))
      if index == 0, let name = entity.name {
        entity.renamingIdentifier = name
        entity.name = "ZZ" + name
      }
    }
    model.entities.append(first)
  }
}

extension NSAttributeDescription {
  /// The indexes of an entity or those below that are over the attribute.
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
