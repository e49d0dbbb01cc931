/// Owners of relationships whose members others changed.
extension NSManagedObjectContext {
  /// The objects here with to-many relationships that were read, and that gain or lose members by changes of those
  /// members' rows: whoever tells of the rows doesn't name them.
  final func unnamedOwners(of changes: ChangedObjectIDs) -> [NSManagedObject] {
    let changed = changes.inserted + changes.updated
    guard !changes.namesOwners, !changed.isEmpty else { return [] }
    var readers = ChangedOwners(changed.map(\.layout))
    guard !readers.inverses.isEmpty else { return [] }
    identityMap.visit { readers.note($0) }
    for id in changed { registered(id).map { readers.leaveOut($0) } }
    guard !readers.isEmpty else { return [] }
    // An owner that isn't found has what it had, as after any reading that fails here.
    for row in (try? rows(of: changed)) ?? [] {
      let member = registered(row.identity)
      for property in row.row.layout.toOnes where property.inverse?.isToMany == true {
        let owner = row.row.values[property.slot].reference.flatMap { registered($0) }
        readers.look(at: member, of: owner, property)
        guard let member else { continue }
        guard member.hasStoredRow else {
          readers.lookForOwners(of: member, but: owner, property)
          continue
        }
        let before = member.committedValue(at: property.slot).reference.flatMap { registered($0) }
        if let before, before !== owner { readers.look(for: member, in: before, property) }
      }
    }
    // Whoever hears of them does so in the same order each time.
    return readers.found.sorted { ($0.layout.name, $0.rowKey) < ($1.layout.name, $1.rowKey) }
  }

  /// The rows of identities as the store has them now.
  private final func rows(
    of identities: [NSManagedObjectID]
  ) throws -> [(identity: NSManagedObjectID, row: StoredRow)] {
    var found: [(NSManagedObjectID, StoredRow)] = []
    let groups = Dictionary(grouping: identities.filter { !$0.isTemporaryID }) {
      Place(store: $0.storeReference.map { ObjectIdentifier($0) }, root: $0.layout.rootID)
    }
    for group in groups.values {
      guard let store = group[0].storeReference else { continue }
      let collector = RowCollector()
      let keys = Set(group.map(\.key)).sorted()
      if try !source.fetchRows(keys, in: store, of: group[0].layout.root, into: collector) {
        for id in group { _ = try source.fetchRow(id, into: collector) }
      }
      found += collector.rows.map {
        (NSManagedObjectID(layout: $0.layout, store: store, key: $0.key), $0)
      }
    }
    return found
  }

  /// Where rows are that one question brings.
  private struct Place: Hashable {
    let store: ObjectIdentifier?
    let root: ObjectIdentifier
  }
}

/// Which objects have relationships, read already, that changed rows are members of.
private struct ChangedOwners {
  /// The to-many relationships that the changed rows can be members of, by their to-ones.
  private(set) var inverses: Set<ObjectIdentifier> = []
  private var readers: [ObjectIdentifier: NSManagedObject] = [:]
  private var foundPlaces: Set<ObjectIdentifier> = []
  /// The objects that have other members by now.
  private(set) var found: [NSManagedObject] = []

  var isEmpty: Bool { readers.isEmpty }

  init(_ layouts: [EntityLayout]) {
    var seen: Set<ObjectIdentifier> = []
    for layout in layouts where seen.insert(layout.id).inserted {
      for property in layout.toOnes {
        guard let inverse = property.inverse, inverse.isToMany else { continue }
        inverses.insert(ObjectIdentifier(inverse))
      }
    }
  }

  /// Notes an object that has read such a relationship.
  mutating func note(_ object: NSManagedObject) {
    guard let touched = object.touchedMembers else { return }
    for property in object.layout.toManys
    where touched[property.slot]?.isLoaded == true
      && inverses.contains(ObjectIdentifier(property))
    {
      readers[ObjectIdentifier(object)] = object
    }
  }

  /// Leaves an object out that is told of.
  mutating func leaveOut(_ object: NSManagedObject) { readers[ObjectIdentifier(object)] = nil }

  /// Finds the owner that a row leads to, unless it is known here for a member of its.
  mutating func look(
    at member: NSManagedObject?, of owner: NSManagedObject?, _ property: PropertyLayout
  ) {
    guard let owner, let members = members(of: owner, property.inverse) else { return }
    if let member, members.contains(member) { return }
    find(owner)
  }

  /// Finds whoever has a member here, but for its owner by now.
  mutating func lookForOwners(
    of member: NSManagedObject, but owner: NSManagedObject?, _ property: PropertyLayout
  ) {
    for reader in readers.values where reader !== owner {
      look(for: member, in: reader, property)
    }
  }

  /// Finds the owner that a row led to before, where it has the member still.
  mutating func look(
    for member: NSManagedObject, in owner: NSManagedObject, _ property: PropertyLayout
  ) {
    if members(of: owner, property.inverse)?.contains(member) == true { find(owner) }
  }

  private func members(
    of object: NSManagedObject, _ property: PropertyLayout?
  ) -> ToManyMembers? {
    guard let property, readers[ObjectIdentifier(object)] != nil,
      object.layout.toManys.indices.contains(property.slot),
      object.layout.toManys[property.slot] === property,
      let members = object.touchedMembers?[property.slot], members.isLoaded
    else { return nil }
    return members
  }

  private mutating func find(_ object: NSManagedObject) {
    if foundPlaces.insert(ObjectIdentifier(object)).inserted { found.append(object) }
  }
}
