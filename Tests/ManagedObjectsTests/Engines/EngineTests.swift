import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Stores with rows alone: no coordinator, no context, no objects.
@Suite struct EngineTests {
  /// The engines that take rows.
  enum Kind: CaseIterable { case memory, file, xml, binary }

  private let folder: TemporaryFolder
  private let layouts: ModelLayout
  private let person: EntityLayout
  private let tag: EntityLayout
  private let name: PropertyLayout
  private let boss: PropertyLayout
  private let tags: PropertyLayout
  private let model: NSManagedObjectModel

  init() throws { try self.init(isConstrained: false) }

  /// - Parameter isConstrained: whether names must be unique, which only SQLite stores enforce.
  private init(isConstrained: Bool) throws {
    folder = try TemporaryFolder()
    let (person, tag) = (entity("Person"), entity("Tag"))
    let (boss, staff) = (
      relationship("boss", max: 1), relationship("staff")
    )
    let (tags, people) = (
      relationship("tags", max: 0), relationship("people", max: 0)
    )
    for (one, other, entity) in [
      (boss, staff, person), (staff, boss, person), (tags, people, tag), (people, tags, person),
    ] {
      (one.inverseRelationship, one.destinationEntity) = (other, entity)
    }
    person.properties = [attribute("name"), boss, staff, tags]
    tag.properties = [people]
    if isConstrained { person.uniquenessConstraints = [["name"]] }
    model = NSManagedObjectModel()
    model.entities = [person, tag]
    layouts = ModelLayout.of(model)
    self.person = try #require(layouts["Person"])
    self.tag = try #require(layouts["Tag"])
    name = try #require(self.person.property("name"))
    self.boss = try #require(self.person.property("boss"))
    self.tags = try #require(self.person.property("tags"))
  }

  private func open(_ kind: Kind) throws -> any StoreEngine {
    let opening = StoreOpening(
      url: kind == .memory ? nil : folder.file("rows"), model: model, layouts: layouts,
      configuration: nil, entityNames: nil, options: nil)
    return switch kind {
    case .memory: try InMemoryEngine.open(opening)
    case .file: try SQLiteEngine.open(opening)
    case .xml: try AtomicFileEngine<XMLStoreFormat>.open(opening)
    case .binary: try AtomicFileEngine<BinaryStoreFormat>.open(opening)
    }
  }

  private func values(_ name: String, boss: NSManagedObjectID? = nil) -> [StoredValue] {
    var values = person.defaultValues
    values[self.name.slot] = .text(name)
    if let boss { values[self.boss.slot] = .reference(boss) }
    return values
  }

  private func rows(_ layout: EntityLayout, in engine: any StoreEngine) throws -> [StoredRow] {
    let collector = RowCollector()
    _ = try engine.fetch(RowQuery(layout: layout), into: collector)
    return collector.rows.sorted { $0.key < $1.key }
  }

  private func save(
    in engine: any StoreEngine, _ change: (inout StoreChanges) -> Void
  ) throws -> SaveOutcome? {
    var changes = StoreChanges()
    change(&changes)
    return try engine.prepare(changes).commit()
  }

  @Test(arguments: Kind.allCases) func rowsComeBackAsTheyWereSaved(kind: Kind) throws {
    let engine = try open(kind)
    let key = try engine.reserveKeys(2, for: person)
    let first = NSManagedObjectID(layout: person, store: engine.reference, key: key)
    _ = try save(in: engine) {
      $0.insert(person, key: key, values: values("Ada"))
      $0.insert(person, key: key + 1, values: values("Bob", boss: first))
    }
    var found = try rows(person, in: engine)
    #expect(found.map(\.key) == [key, key + 1])
    #expect(found.map(\.version) == [1, 1])
    #expect(found[1].values[boss.slot].reference == first)

    let outcome = try save(in: engine) { changes in
      changes.update(found[0], values: values("Ada"))
      changes.update(found[1], values: values("Bea", boss: first))
    }
    #expect(outcome?.written == [1], "The first is as it was.")
    found = try rows(person, in: engine)
    #expect(found.map(\.version) == [1, 2])
    #expect(found[1].values[name.slot] == .text("Bea"))

    _ = try save(in: engine) { $0.delete(found[1]) }
    #expect(try rows(person, in: engine).map(\.key) == [key])
  }

  @Test(arguments: Kind.allCases) func whatOthersWroteIsAConflict(kind: Kind) throws {
    let engine = try open(kind)
    let key = try engine.reserveKeys(1, for: person)
    _ = try save(in: engine) { $0.insert(person, key: key, values: values("Ada")) }
    let read = try rows(person, in: engine)[0]
    _ = try save(in: engine) { $0.update(read, values: values("Bea")) }
    let error = #expect(throws: StoreConflicts.self) {
      try save(in: engine) { $0.update(read, values: values("Cleo")) }
    }
    let conflict = try #require(error?.versions.first)
    #expect(conflict.row == RowKey(layout: person, key: key))
    #expect(conflict.present?.values[name.slot] == .text("Bea"))
    #expect(conflict.present?.version == 2)
    #expect(try rows(person, in: engine).map(\.version) == [2], "Nothing was written.")
  }

  @Test func whatMustBeUniqueIsAConflict() throws {
    let test = try EngineTests(isConstrained: true)
    try test.checkUniqueness()
  }

  private func checkUniqueness() throws {
    let engine = try open(.file)
    let key = try engine.reserveKeys(3, for: person)
    _ = try save(in: engine) { $0.insert(person, key: key, values: values("Ada")) }
    let error = #expect(throws: StoreConflicts.self) {
      try save(in: engine) {
        $0.insert(person, key: key + 1, values: values("Bob"))
        $0.insert(person, key: key + 2, values: values("Ada"))
      }
    }
    let clash = try #require(error?.constraints.first)
    #expect(clash.constraint == ["name"])
    #expect(clash.rows == [RowKey(layout: person, key: key + 2)])
    #expect(clash.present?.key == key)
    #expect(try rows(person, in: engine).count == 1)
  }

  @Test(arguments: Kind.allCases) func membersComeAndGo(kind: Kind) throws {
    let engine = try open(kind)
    let (owner, key) = (try engine.reserveKeys(1, for: person), try engine.reserveKeys(2, for: tag))
    let ids = (key...key + 1).map {
      NSManagedObjectID(layout: tag, store: engine.reference, key: $0)
    }
    func change(_ row: RowChange, added: [NSManagedObjectID], removed: [NSManagedObjectID])
      -> MemberChange
    {
      MemberChange(owner: row, property: tags, added: added, removed: removed, order: nil)
    }
    func present() throws -> [Int64] {
      let collector = RowCollector()
      let id = NSManagedObjectID(layout: person, store: engine.reference, key: owner)
      try engine.fetchDestinations(of: id, tags, into: collector)
      return collector.rows.map(\.key).sorted()
    }
    _ = try save(in: engine) { changes in
      changes.insert(person, key: owner, values: values("Ada"))
      for id in ids { changes.insert(tag, key: id.key, values: tag.defaultValues) }
      changes.members = [change(changes.inserted[0], added: ids, removed: [])]
    }
    #expect(try present() == [key, key + 1])
    let read = try rows(person, in: engine)[0]
    let outcome = try save(in: engine) { changes in
      changes.update(read, values: read.values)
      changes.members = [change(changes.updated[0], added: [], removed: [ids[0]])]
    }
    #expect(try present() == [key + 1])
    #expect(outcome?.written == [0], "Members that have as many owners count as a change.")
  }

  @Test(arguments: Kind.allCases) func whatIsTakenBackLeavesNothing(kind: Kind) throws {
    let engine = try open(kind)
    let key = try engine.reserveKeys(1, for: person)
    var changes = StoreChanges()
    changes.insert(person, key: key, values: values("Ada"))
    try engine.prepare(changes).rollBack()
    #expect(try rows(person, in: engine).isEmpty)
  }
}
