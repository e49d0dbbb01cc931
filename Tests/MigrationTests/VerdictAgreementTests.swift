import DataModels
import Foundation
import ModelEvolution
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// What ``MigrationVerdict`` says of two models is what happens to their stores.
@Suite struct VerdictAgreementTests {
  /// Pairs of models.
  private static let seeds = Trials.seeds(60)

  /// Stores of one, two and several objects of each entity: the last object of each lacks whatever is optional, so
  /// that the first store has as little as its model allows, and objects of the last share others.
  private static let counts = [1, 2, 8]

  @Test func verdictsComeTrue() throws {
    var tally: [MigrationVerdict.Outcome: Int] = [:]
    for seed in Self.seeds {
      var versions = RandomVersions(seed: seed, isRestructured: true)
      let old = versions.model
      versions.advance(by: 1 + Int(seed % 3))
      let new = versions.model
      // A moved entity may inherit a name that it has itself.
      guard versions.model.findings().allSatisfy({ $0.severity != .error }) else { continue }
      let verdict = MigrationVerdict(from: old, to: new)
      let context = "seed \(seed), \(versions.edits)"
      let results = try Self.counts.compactMap { count in
        try Self.result(of: old, to: new, count: count, context)
      }
      tally[verdict.outcome, default: 0] += results.isEmpty ? 0 : 1
      let failures = results.compactMap { $0 }
      let worst = verdict.findings.filter { $0.rule.effect >= .failsWithData }
      let comment: Comment =
        "\(context): \(verdict.outcome) \(worst.map(\.message)) \(failures)"
      switch verdict.outcome {
      case .notNeeded, .lightweight: #expect(failures.isEmpty, comment)
      case .impossible:
        #expect(failures.map(\.code) == results.map { _ in 134140 }, comment)
      case .failsWithData:
        #expect(failures.allSatisfy { [134110, 134111].contains($0.code) }, comment)
        // Only if all stores could be made, and every entity has objects.
        guard failures.isEmpty, results.count == Self.counts.count,
          old.entities.allSatisfy({ !$0.isAbstract })
        else { continue }
        // What is lacking may be there in stores with objects of all entities.
        let lone = try old.entities.compactMap { entity in
          try Self.result(of: old, to: new, count: 1, only: entity.name, context)
        }
        #expect(lone.contains { $0 != nil }, comment)
      }
    }
    if Self.seeds.count > 100 { print(tally) }
    guard Self.seeds.count >= 60 else { return }
    #expect(tally[.lightweight, default: 0] >= Self.seeds.count / 5, "\(tally)")
    #expect(tally[.failsWithData, default: 0] > 0 && tally[.impossible, default: 0] > 0)
  }

  /// The error of migrating a store with objects, nil if it succeeds; nil instead of a result for objects that can't
  /// be stored: random values don't suit every random model.
  private static func result(
    of old: NSManagedObjectModel, to new: NSManagedObjectModel, count: Int,
    only entity: String? = nil, _ comment: String
  ) throws -> NSError?? {
    let folder = try TemporaryFolder()
    let store = folder.file("store.sqlite")
    do {
      let context = try TestStore.open(store, old)
      try StoreFiller.fill(context, old, count: count, only: entity)
      try TestStore.close(context)
    } catch { return nil }
    guard try StoreCheck.findings(at: store, model: old) == [] else { return nil }
    do {
      try migrate(store, old, to: new)
    } catch let error as NSError { return .some(error) }
    let isSame = old.entityVersionHashesByName == new.entityVersionHashesByName
    // Relationships may be left with too few members where members go; that is a loss, which the verdict tells.
    for finding in try StoreCheck.findings(at: store, model: new)
    where !isSame && finding.rule != .memberCount {
      Issue.record("\(comment), \(count) objects: \(finding)")
    }
    return .some(nil)
  }

  private static func migrate(
    _ store: URL, _ old: NSManagedObjectModel, to new: NSManagedObjectModel
  ) throws {
    var options = TestStore.migrating
    options[MomKitMigrationSourceModelOption] = old
    try TestStore.migrate(store, to: new, options: options)
  }

  // MARK: Single cases

  /// Makes a store, migrates it in place, and returns its objects by name.
  private func migrated(
    _ old: NSManagedObjectModel, _ new: NSManagedObjectModel, in folder: TemporaryFolder,
    _ fill: (NSManagedObjectContext) throws -> Void
  ) throws -> (context: NSManagedObjectContext, named: (String) throws -> NSManagedObject) {
    let store = folder.file("\(UUID()).sqlite")
    let context = try TestStore.open(store, old)
    try fill(context)
    try context.save()
    try TestStore.close(context)
    try Self.migrate(store, old, to: new)
    #expect(try StoreCheck.findings(at: store, model: new) == [])
    let after = try TestStore.open(store, new)
    return (
      after,
      { name in
        for entity in new.entities where entity.attributesByName["name"] != nil {
          let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
          request.predicate = NSPredicate(format: "name == %@", name)
          if let found = try after.fetch(request).first { return found }
        }
        throw CocoaError(.fileNoSuchFile)
      }
    )
  }

  @discardableResult private func make(
    _ entity: String, _ name: String, _ values: [String: Any] = [:],
    in context: NSManagedObjectContext
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object["name"] = name
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  private func named(_ name: String, _ properties: [NSPropertyDescription] = [])
    -> NSEntityDescription
  {
    entity(name, [attribute("name")] + properties)
  }

  /// Trees of `Folder`s, one of which is a `Bin` before that entity becomes one of its own.
  private func folders(withBin: Bool) -> NSManagedObjectModel {
    let folder = named("Folder")
    let (parent, children) = (
      relationship("parent", to: folder, max: 1), relationship("children", to: folder)
    )
    link(parent, children)
    folder.properties += [parent, children]
    let bin = withBin ? entity("Bin", [attribute("size")]) : named("Bin", [attribute("size")])
    if withBin { folder.subentities = [bin] }
    return NSManagedObjectModel(of: [folder, bin])
  }

  @Test func objectsThatLeaveADestinationAreForeseen() throws {
    let (old, new) = (folders(withBin: true), folders(withBin: false))
    let verdict = MigrationVerdict(from: old, to: new)
    #expect(verdict.outcome == .failsWithData, "\(verdict.findings.map(\.message))")
    #expect(
      verdict.findings.first?.message
        == "Folder.parent refers to Folder, which no longer includes Bin; a store in which it "
        + "refers to objects of Bin fails")
    let folder = try TemporaryFolder()
    let error = try #require(throws: NSError.self) {
      try migrated(old, new, in: folder) { context in
        make("Folder", "a", ["parent": make("Bin", "b", in: context)], in: context)
      }
    }
    #expect(error.code == NSMigrationError)
    // References from what leaves go with the relationship.
    let after = try migrated(old, new, in: folder) { context in
      let top = make("Folder", "top", in: context)
      make("Folder", "below", ["parent": top], in: context)
      make("Bin", "bin", ["parent": top], in: context)
    }
    #expect((try after.named("top")["children"] as? Set<NSManagedObject>)?.count == 1)
  }

  /// The same if the relationship isn't the one that changes, with the entity that refers to others elsewhere.
  @Test func mandatoryReferencesToRemovedEntitiesAreForeseen() throws {
    func model(withSpecial: Bool) -> NSManagedObjectModel {
      let thing = named("Thing")
      let special = entity("Special")
      thing.subentities = withSpecial ? [special] : []
      let user = named("User", [relationship("thing", to: thing, max: 1, optional: false)])
      return NSManagedObjectModel(of: [thing, user] + (withSpecial ? [special] : []))
    }
    let (old, new) = (model(withSpecial: true), model(withSpecial: false))
    #expect(MigrationVerdict(from: old, to: new).outcome == .failsWithData)
    let folder = try TemporaryFolder()
    #expect(throws: NSError.self) {
      try migrated(old, new, in: folder) { context in
        make("User", "a", ["thing": make("Special", "b", in: context)], in: context)
      }
    }
    _ = try migrated(old, new, in: folder) { context in
      make("User", "a", ["thing": make("Thing", "b", in: context)], in: context)
    }
  }

  /// `Owner.items` refers to `Item`, whose inverse has the values, or to `Other`.
  private func owners(_ destination: String) -> NSManagedObjectModel {
    let (item, other) = (named("Item"), named("Other"))
    let target = destination == "Item" ? item : other
    let owner = named("Owner")
    let (items, back) = (
      relationship("items", to: target), relationship("owner", to: owner, max: 1)
    )
    link(items, back)
    owner.properties.append(items)
    target.properties.append(back)
    return NSManagedObjectModel(of: [item, other, owner])
  }

  @Test func membersThatTheirInverseHadAreLost() throws {
    let (old, new) = (owners("Item"), owners("Other"))
    let verdict = MigrationVerdict(from: old, to: new)
    #expect(verdict.outcome == .lightweight)
    #expect(
      verdict.findings.filter { $0.rule.effect == .loses }.map(\.rule)
        == [.relationshipRemoved, .relationshipReferencesLost])
    let folder = try TemporaryFolder()
    func fill(_ context: NSManagedObjectContext) {
      make("Item", "a", ["owner": make("Owner", "b", in: context)], in: context)
    }
    let after = try migrated(old, new, in: folder, fill)
    #expect((try after.named("b")["items"] as? Set<NSManagedObject>)?.isEmpty == true)
    // Object by object the same is lost.
    let store = folder.file("objects.sqlite")
    let context = try TestStore.open(store, old)
    fill(context)
    try context.save()
    try TestStore.close(context)
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.usesStoreSpecificMigrationManager = false
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    try manager.migrateStore(
      from: store, type: .sqlite, mapping: mapping, to: folder.file("copy.sqlite"), type: .sqlite)
    #expect(try StoreCheck.findings(at: folder.file("copy.sqlite"), model: new) == [])
  }

  /// `Moved` is below `Base`, and has everything that it declares, or beside it in the same table.
  private func hierarchy(isBelow: Bool) -> NSManagedObjectModel {
    let (root, base, moved) = (named("Root"), entity("Base"), entity("Moved"))
    let (target, member) = (named("Target"), named("Member"))
    let (one, back) = (
      relationship("one", to: target, max: 1), relationship("many", to: base, ordered: true)
    )
    link(one, back)
    base.properties = [attribute("text"), one, relationship("members", to: member, ordered: true)]
    target.properties += [back, relationship("bases", to: base)]
    root.subentities = isBelow ? [base] : [base, moved]
    if isBelow { base.subentities = [moved] }
    return NSManagedObjectModel(of: [root, base, moved, target, member])
  }

  @Test func nothingIsLeftOfWhatAnEntityNoLongerHas() throws {
    let (old, new) = (hierarchy(isBelow: true), hierarchy(isBelow: false))
    let folder = try TemporaryFolder()
    func fill(_ context: NSManagedObjectContext, _ entity: String) {
      let target = make("Target", "target of \(entity)", in: context)
      let member = make("Member", "member of \(entity)", in: context)
      make(
        entity, entity,
        ["text": "x", "one": target, "members": NSOrderedSet(object: member)], in: context)
    }
    let after = try migrated(old, new, in: folder) { context in
      fill(context, "Base")
      fill(context, "Moved")
    }
    #expect(try after.named("Base")["text"] as? String == "x")
    #expect(
      (try after.named("target of Base")["many"] as? NSOrderedSet)?.count == 1)
    let store = try #require(after.context.persistentStoreCoordinator?.persistentStores.first?.url)
    try TestStore.close(after.context)
    // It isn't found again when the entity moves back.
    try Self.migrate(store, new, to: old)
    let back = try TestStore.open(store, old)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Moved")
    let moved = try #require(try back.fetch(request).first)
    #expect(moved["text"] == nil && moved["one"] == nil)
    #expect((moved["members"] as? NSOrderedSet)?.count == 0)
    try TestStore.close(back)
  }

  /// A member of a hidden relationship that leaves its destination isn't a member any more.
  @Test func hiddenKeysOfWhatLeavesAreRefused() throws {
    let (old, new) = (hierarchy(isBelow: true), hierarchy(isBelow: false))
    #expect(MigrationVerdict(from: old, to: new).outcome == .failsWithData)
    let folder = try TemporaryFolder()
    let error = try #require(throws: NSError.self) {
      try migrated(old, new, in: folder) { context in
        let moved = make("Moved", "a", in: context)
        make("Target", "b", ["bases": Set([moved])], in: context)
      }
    }
    #expect(error.code == NSMigrationError)
  }
}
