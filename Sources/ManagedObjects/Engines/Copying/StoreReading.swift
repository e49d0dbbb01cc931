import DataModels

/// Everything in a store, read row by row, for copies and comparisons of stores: first the rows of each hierarchy, then
/// the members of each to-many relationship that the members' own rows don't tell.
///
/// Neither holds more than one row in memory; of objects that have such relationships, the keys are kept.
@_spi(Engines) public final class StoreReading {
  /// A to-many relationship, with the entity that declares it.
  public struct Relationship {
    /// The entity.
    public let layout: EntityLayout
    /// The relationship.
    public let property: PropertyLayout

    /// The names of both, for messages.
    public var name: String { "\(layout.name).\(property.name)" }
  }

  /// The store.
  public let engine: any StoreEngine
  /// The topmost entities whose rows are in the store, by name.
  public let roots: [EntityLayout]
  /// The to-many relationships to read after the rows.
  public let relationships: [Relationship]
  /// The rows read so far that have relationships of their own, by root.
  private var owners: [ObjectIdentifier: [RowKey]] = [:]

  /// The number of owners whose members are read at once.
  private static let ownersAtOnce = 256

  /// - Parameter layouts: those of the model that the store was opened with.
  public init(_ engine: any StoreEngine, _ layouts: ModelLayout) {
    self.engine = engine
    // A store with a configuration has the entities that its metadata names.
    let hashes = StoreMetadataKeys.versionHashes(in: engine.metadata)
    let names = Set(
      layouts.entities.filter { hashes.isEmpty || hashes[$0.name] != nil }.map(\.root.name))
    roots = layouts.entities.filter { $0.parent == nil && names.contains($0.name) }
      .sorted { $0.name < $1.name }
    relationships = layouts.entities.filter { names.contains($0.root.name) }
      .sorted { $0.name < $1.name }
      .flatMap { layout in
        layout.toManys.filter { property in
          !property.isTransient && (property.isOrdered || !property.isToldByMembers)
            && layout.parent?.toManys.contains { $0 === property } != true
        }.map { Relationship(layout: layout, property: $0) }
      }
  }

  /// The metadata that the program has added to the store's own.
  public var programMetadata: [String: Any] {
    let own = Set(StoreMetadataKeys.own)
    return engine.metadata.filter { !own.contains($0.key) }
  }

  /// The number of rows.
  public func count() throws -> Int { try roots.reduce(0) { try $0 + count(of: $1) } }

  /// The number of rows of a hierarchy.
  private func count(of root: EntityLayout) throws -> Int {
    if let count = try engine.count(RowQuery(layout: root)) { return count }
    var count = 0
    try readRows(of: root) { _ in count += 1 }
    return count
  }

  /// The last key of a hierarchy that a copy must not give to a new object: it belonged to another one, which may be
  /// deleted, and URIs may still name that. Zero if the store doesn't know.
  public func lastKey(of root: EntityLayout) throws -> Int64 {
    // One key has to be left in the copy.
    min(max(0, try engine.lastKey(of: root) ?? 0), .max - 1)
  }

  /// Reads the rows of a hierarchy.
  public func readRows(of root: EntityLayout, _ body: (StoredRow) throws -> Void) throws {
    var owners: [RowKey] = []
    let wanted = Set(relationships.filter { $0.layout.root === root }.map { $0.layout.id })
    try withoutActuallyEscaping(body) { body in
      let relay = RowRelay { row in
        if !wanted.isEmpty,
          sequence(first: row.layout, next: \.parent).contains(where: { wanted.contains($0.id) })
        {
          owners.append(RowKey(layout: row.layout, key: row.key))
        }
        try body(row)
      }
      _ = try engine.fetch(RowQuery(layout: root), into: relay)
      if let failure = relay.failure { throw failure }
    }
    self.owners[root.id] = owners
  }

  /// Reads the members of a relationship, owner by owner, in the relationship's order. The owners' rows must have been
  /// read before.
  public func readMembers(
    of relationship: Relationship, _ body: (_ owner: RowKey, _ members: [RowKey]) throws -> Void
  ) throws {
    let all = (owners[relationship.layout.root.id] ?? []).filter {
      $0.layout.isKind(of: relationship.layout)
    }
    for start in stride(from: 0, to: all.count, by: Self.ownersAtOnce) {
      let some = all[start..<min(start + Self.ownersAtOnce, all.count)]
      let lists = try members(of: Array(some), relationship)
      for owner in some {
        if let members = lists[owner.key], !members.isEmpty { try body(owner, members) }
      }
    }
  }

  private func members(
    of owners: [RowKey], _ relationship: Relationship
  ) throws -> [Int64: [RowKey]] {
    let collector = KeyCollector()
    let isDone = try engine.fetchDestinations(
      ofMany: owners.map(\.key), relationship.layout, relationship.property, into: collector
    ) { owner in
      collector.owner = owner
      return true
    }
    if isDone { return collector.lists }
    for owner in owners {
      collector.owner = owner.key
      try engine.fetchDestinations(
        of: NSManagedObjectID(layout: owner.layout, store: engine.reference, key: owner.key),
        relationship.property, into: collector)
    }
    return collector.lists
  }
}

/// A sink that passes each row on.
private final class RowRelay: RowSink {
  private let body: (StoredRow) throws -> Void
  private var pending: (layout: EntityLayout, key: Int64, version: Int64)?
  /// The error of the first row that couldn't be passed on; none follow it.
  private(set) var failure: (any Error)?

  init(_ body: @escaping (StoredRow) throws -> Void) { self.body = body }

  func begin(_ store: StoreReference?) {}

  func beginRow(of layout: EntityLayout, key: Int64, version: Int64) -> RowSlot? {
    guard failure == nil else { return nil }
    pending = (layout, key, version)
    return RowSlot()
  }

  func fill(_ slot: consuming RowSlot, with values: [StoredValue]) {
    guard let pending else { return }
    do {
      try body(
        StoredRow(
          layout: pending.layout, key: pending.key, version: pending.version, values: values))
    } catch { failure = error }
  }
}

/// A sink that collects the keys of members.
private final class KeyCollector: RowSink {
  var owner: Int64 = 0
  private(set) var lists: [Int64: [RowKey]] = [:]

  func begin(_ store: StoreReference?) {}

  func beginRow(of layout: EntityLayout, key: Int64, version: Int64) -> RowSlot? {
    lists[owner, default: []].append(RowKey(layout: layout, key: key))
    return nil
  }

  func fill(_ slot: consuming RowSlot, with values: [StoredValue]) {}
}
