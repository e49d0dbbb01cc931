import DataModels
import Foundation
import ModelEvolution
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// A store is migrated to the same rows in every way, or rejected in every way.
@Suite struct MigrationWaysTests {
  /// Histories of versions.
  private static let seeds = Trials.seeds(24)

  @Test func allWaysAgree() throws {
    var migrated = 0
    var refused: [Int: Int] = [:]
    for seed in Self.seeds {
      do {
        let outcome = try Self.run(seed)
        migrated += outcome.migrated
        if let code = outcome.refusal { refused[code, default: 0] += 1 }
      } catch { Issue.record("seed \(seed): \(error)") }
    }
    #expect(migrated >= Self.seeds.count / 3)
    if Trials.factor > 1 { print("migrated \(migrated) steps, refused \(refused)") }
  }

  private static func run(_ seed: UInt64) throws -> (migrated: Int, refusal: Int?) {
    var versions = RandomVersions(seed: seed)
    let folder = try TemporaryFolder()
    var old = versions.model
    var store = folder.file("0.sqlite")
    // The random values don't suit every random model.
    do { try fill(store, old, seed) } catch { return (0, nil) }
    // Nor does every store hold what was saved: of several owners without an inverse only one keeps a member.
    guard try StoreCheck.findings(at: store, model: old) == [] else { return (0, nil) }
    let first = (model: old, store: folder.file("first.sqlite"))
    try copy(store, to: first.store)
    var models = [old]
    for step in 1...3 {
      versions.advance(by: 2 + Int(seed % 4))
      let errors = versions.model.findings().filter { $0.severity == .error }
      guard errors.isEmpty else {
        throw Trouble("inconsistent: \(versions.edits) \(errors)")
      }
      let new = versions.model
      let ways = try Ways(from: old, to: new, store, in: folder, step: step)
      #expect(ways.differences == [], "seed \(seed), step \(step): \(versions.edits)")
      guard let result = ways.migrated else { return (step - 1, ways.code) }
      // A version with the same hashes may require more than its rows have, of which only a save is told.
      guard try StoreCheck.findings(at: result, model: new) == [] else { return (step, nil) }
      (old, store) = (new, result)
      models.append(new)
    }
    // Migrating across all versions in stages is equivalent to step by step.
    let stages = NSStagedMigrationManager([
      NSLightweightMigrationStage(models.map(\.versionChecksum))
    ])
    do {
      try TestStore.migrate(
        first.store, to: old,
        options: [
          NSPersistentStoreStagedMigrationManagerOptionKey: stages,
          MomKitMigrationSourceModelOption: first.model,
        ])
      #expect(try StoreCheck.findings(at: first.store, model: old) == [], "seed \(seed), at once")
    } catch let error as NSError {
      // A property that is removed and added again is one property step by step, and another at once.
      #expect(
        [NSMigrationError, NSMigrationMissingMappingModelError].contains(error.code),
        "seed \(seed), at once: \(error)")
    }
    return (3, nil)
  }

  struct Trouble: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Fills a store, and gives every object a unique name.
  private static func fill(_ url: URL, _ model: NSManagedObjectModel, _ seed: UInt64) throws {
    let context = try TestStore.open(
      url, model, options: [NSPersistentHistoryTrackingKey: seed % 2 == 0])
    try StoreFiller.fill(context, model, count: 4)
    for entity in model.entities where !entity.isAbstract {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      for object in try context.fetch(request) {
        object["uid"] = "\(entity.name ?? "")-\(object.objectID.key)"
      }
    }
    try context.save()
    try TestStore.close(context)
  }

  static func copy(_ store: URL, to url: URL) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    try coordinator.replacePersistentStore(
      at: url, withPersistentStoreFrom: store, ofType: NSSQLiteStoreType)
  }
}

/// One migration step of a store, in every way.
private struct Ways {
  /// The store after an in-place migration; nil if it was rejected.
  private(set) var migrated: URL?
  /// The error code of the rejection.
  private(set) var code: Int?
  private(set) var differences: [String] = []

  private let old: NSManagedObjectModel
  private let new: NSManagedObjectModel

  init(
    from old: NSManagedObjectModel, to new: NSManagedObjectModel, _ store: URL,
    in folder: TemporaryFolder, step: Int
  ) throws {
    (self.old, self.new) = (old, new)
    let before = try StoreSnapshot(store, old)
    let place = folder.file("\(step).sqlite")
    let inPlace = try attempt(place, "in place") {
      try MigrationWaysTests.copy(store, to: place)
      var options = TestStore.migrating
      options[MomKitMigrationSourceModelOption] = old
      try TestStore.migrate(place, to: new, options: options)
    }
    if case .success(let snapshot) = inPlace {
      migrated = place
      let comparison = MigrationComparison(before, old, snapshot, new)
      differences += comparison.differences.prefix(3).map { "rows: \($0)" }
    } else if case .failure(let error) = inPlace {
      code = error.code
      if try StoreSnapshot(place, old) != before { differences.append("refused and changed") }
    }
    let isSame = old.entityVersionHashesByName == new.entityVersionHashesByName
    for (name, copies) in [("copied", true), ("objects", false)] where !isSame {
      let url = folder.file("\(step)-\(name).sqlite")
      let result = try attempt(url, name) {
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        manager.usesStoreSpecificMigrationManager = copies
        let mapping = try NSMappingModel.inferredMappingModel(
          forSourceModel: old, destinationModel: new)
        try manager.migrateStore(
          from: store, type: .sqlite, mapping: mapping, to: url, type: .sqlite)
      }
      compare(name, result, inPlace)
    }
    let staged = folder.file("\(step)-staged.sqlite")
    guard !isSame else { return }
    let result = try attempt(staged, "staged") {
      try MigrationWaysTests.copy(store, to: staged)
      let stages = NSStagedMigrationManager([
        NSLightweightMigrationStage([old.versionChecksum, new.versionChecksum])
      ])
      try TestStore.migrate(
        staged, to: new,
        options: [
          NSPersistentStoreStagedMigrationManagerOptionKey: stages,
          MomKitMigrationSourceModelOption: old,
        ])
    }
    compare("staged", result, inPlace)
    // Nothing is left behind in any case.
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { $0.hasSuffix(".migrating") || $0.hasSuffix(".before-migration") }
    if !left.isEmpty { differences.append("left \(left)") }
  }

  private mutating func attempt(
    _ url: URL, _ name: String, _ body: () throws -> Void
  ) throws -> Result<StoreSnapshot, NSError> {
    do { try body() } catch { return .failure(error as NSError) }
    let isSame = old.entityVersionHashesByName == new.entityVersionHashesByName
    for finding in try StoreCheck.findings(at: url, model: new).prefix(2)
    where !isSame || finding.rule != .required {
      differences.append("\(name): \(finding)")
    }
    return .success(try StoreSnapshot(url, new))
  }

  private mutating func compare(
    _ name: String, _ result: Result<StoreSnapshot, NSError>,
    _ expected: Result<StoreSnapshot, NSError>
  ) {
    switch (result, expected) {
    case (.success(let one), .success(let other)):
      let (one, other) = (named(one), named(other))
      guard one != other else { return }
      for (object, row) in other.sorted(by: { $0.key < $1.key }) {
        guard let found = one[object] else {
          differences.append("\(name): \(object) is missing")
          continue
        }
        for (key, value) in row where found[key] != value {
          differences.append("\(name): \(object).\(key) is \(found[key] ?? []), not \(value)")
        }
      }
      if one.count > other.count { differences.append("\(name): \(one.count) objects") }
    case (.failure(let one), .failure(let other)):
      if Self.kind(one) != Self.kind(other) {
        differences.append("\(name): refused with \(one), not with \(other)")
      }
    case (.success, .failure(let error)): differences.append("\(name) works, not: \(error)")
    case (.failure(let error), .success): differences.append("\(name): \(error)")
    }
    differences = Array(differences.prefix(6))
  }

  /// Objects by the names that the test gave them, which no migration changes.
  private func named(_ snapshot: StoreSnapshot) -> [String: StoreSnapshot.Row] {
    var names: [String: String] = [:]
    for (entity, rows) in snapshot.entities {
      for (key, row) in rows { names["\(entity)/\(key)"] = row["uid"]?.first ?? "?" }
    }
    // If there was no order, each way may choose one.
    let correspondence = InferredCorrespondence(from: old, to: new).entities
    func wasOrdered(_ name: String, of entity: String) -> Bool {
      guard let pair = correspondence[entity], let oldName = pair.relationships[name] else {
        return false
      }
      return old.entitiesByName[pair.old]?.relationshipsByName[oldName]?.isOrdered ?? false
    }
    var named: [String: StoreSnapshot.Row] = [:]
    for (entity, rows) in snapshot.entities {
      let description = new.entitiesByName[entity]
      for (key, row) in rows {
        var row = row
        for (name, relationship) in description?.relationshipsByName ?? [:] {
          let members = (row[name] ?? []).map { names[$0] ?? $0 }
          row[name] =
            relationship.isOrdered && wasOrdered(name, of: entity) ? members : members.sorted()
        }
        named["\(entity)/\(names["\(entity)/\(key)"] ?? "")"] = row
      }
    }
    return named
  }

  /// Equivalent codes: a mapping that isn't possible, and rows that don't permit it, which an object-by-object
  /// migration finds by validation.
  private static func kind(_ error: NSError) -> String {
    switch error.code {
    case NSMigrationMissingMappingModelError, NSInferredMappingModelError: "mapping"
    case NSMigrationError, 1550...1680: "rows"
    default: "\(error.code)"
    }
  }
}
