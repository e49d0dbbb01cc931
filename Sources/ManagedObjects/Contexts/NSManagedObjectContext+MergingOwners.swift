/// Owners of relationships whose members other writers changed.
extension NSManagedObjectContext {
  /// The registered objects with loaded to-many relationships that gain or lose members because of changes to the
  /// members' rows. Notifications that list rows don't name these owners.
  final func unnamedOwners(of changes: ChangedObjectIDs) -> [NSManagedObject] {
    let changed = changes.inserted + changes.updated
    guard !changes.namesOwners, !changed.isEmpty else { return [] }
    var readers = ChangedOwners(changed.map(\.layout))
    guard !readers.inverses.isEmpty else { return [] }
    identityMap.visit { readers.note($0) }
    for id in changed { registered(id).map { readers.exclude($0) } }
    guard !readers.isEmpty else { return [] }
    // After a failed read an owner keeps its members, as with any failed read in a merge.
    for row in (try? rows(of: changed)) ?? [] {
      let member = registered(row.identity)
      for property in row.row.layout.toOnes where property.inverse?.isToMany == true {
        let owner = row.row.values[property.slot].reference.flatMap { registered($0) }
        readers.look(at: member, of: owner, property)
        guard let member else { continue }
        guard member.hasStoredRow else {
          readers.seekOwners(of: member, but: owner, property)
          continue
        }
        let before = member.committedValue(at: property.slot).reference.flatMap { registered($0) }
        if let before, before !== owner { readers.look(for: member, in: before, property) }
      }
    }
    readers.lookForSought()
    // Sorted, so that notifications have the same order each time.
    return readers.found.sorted { ($0.layout.name, $0.rowKey) < ($1.layout.name, $1.rowKey) }
  }

  /// The current rows of object IDs in the store.
  private final func rows(
    of identities: [NSManagedObjectID]
  ) throws -> [(identity: NSManagedObjectID, row: StoredRow)] {
    var found: [(NSManagedObjectID, StoredRow)] = []
    let groups = Dictionary(grouping: identities.filter { !$0.isTemporary }) {
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

  /// A store and hierarchy whose rows one query reads.
  private struct Place: Hashable {
    let store: ObjectIdentifier?
    let root: ObjectIdentifier
  }
}

/// Finds objects whose loaded relationships gain or lose changed rows as members.
private struct ChangedOwners {
  /// The to-many relationships that the changed rows can be members of, taken from the rows' to-one relationships.
  private(set) var inverses: Set<ObjectIdentifier> = []
  private var readers: [ObjectIdentifier: NSManagedObject] = [:]
  /// The members that any object may have, by the relationship and by the member.
  private var sought: [ObjectIdentifier: [ObjectIdentifier: SoughtMember]] = [:]
  private var foundPlaces: Set<ObjectIdentifier> = []
  /// The objects whose members have changed.
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

  /// Records an object that has loaded such a relationship.
  mutating func note(_ object: NSManagedObject) {
    // What another writer has deleted must not be taken for a row again. What is deleted here reads its members again when
    // it is saved, and then may be in conflict with who has changed them.
    guard let touched = object.touchedMembers, !object.awaitsDeletion,
      !object.state.contains(.inaccessible)
    else { return }
    for property in object.layout.toManys
    where touched[property.slot]?.isLoaded == true
      && inverses.contains(ObjectIdentifier(property))
    {
      readers[ObjectIdentifier(object)] = object
    }
  }

  /// Excludes an object that the notification already names.
  mutating func exclude(_ object: NSManagedObject) { readers[ObjectIdentifier(object)] = nil }

  /// Adds the owner that a row refers to, unless the row is one of its members here already.
  mutating func look(
    at member: NSManagedObject?, of owner: NSManagedObject?, _ property: PropertyLayout
  ) {
    guard let owner, let members = members(of: owner, property.inverse) else { return }
    if let member, members.contains(member) { return }
    find(owner)
  }

  /// Notes a member of which it isn't known who has it here, for ``lookForSought()``.
  mutating func seekOwners(
    of member: NSManagedObject, but owner: NSManagedObject?, _ property: PropertyLayout
  ) {
    guard let inverse = property.inverse else { return }
    sought[ObjectIdentifier(inverse), default: [:]][ObjectIdentifier(member)] = SoughtMember(
      member: member, owner: owner)
  }

  /// Adds every object that has a sought member here, except the member's current owner. All are looked for at once:
  /// looking at every object for each of them would take the product of their numbers.
  mutating func lookForSought() {
    guard !sought.isEmpty else { return }
    for reader in readers.values {
      for property in reader.layout.toManys where hasSought(reader, property) { find(reader) }
    }
  }

  private func hasSought(_ reader: NSManagedObject, _ property: PropertyLayout) -> Bool {
    guard let wanted = sought[ObjectIdentifier(property)],
      let members = members(of: reader, property)
    else { return false }
    // The fewer are looked up among the others.
    if wanted.count < members.count {
      return wanted.values.contains { $0.owner !== reader && members.contains($0.member) }
    }
    return members.objects.contains { member in
      wanted[ObjectIdentifier(member)].map { $0.owner !== reader } ?? false
    }
  }

  /// Adds the owner that a row referred to before, if it still has the member here.
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

  /// A member of which it isn't known who has it here, and its current owner.
  private struct SoughtMember {
    let member: NSManagedObject
    let owner: NSManagedObject?
  }
}
