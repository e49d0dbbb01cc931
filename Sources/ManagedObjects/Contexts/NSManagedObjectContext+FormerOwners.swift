/// Owners that lose members to other writers by relationships without inverses.
extension NSManagedObjectContext {
  /// The registered objects that have members here which other changed objects have taken from them. Where a store
  /// keeps the owner in the member's row, a new owner replaces the former one, which nothing names.
  final func formerOwners(by changes: ChangedObjectIDs) -> [NSManagedObject] {
    let changed = (changes.inserted + changes.updated).filter { id in
      id.layout.toManys.contains { $0.inverse == nil && !$0.isTransient } && keepsOneOwner(id)
    }
    guard !changed.isEmpty else { return [] }
    var readers = MemberReaders(of: Set(changed.map(\.layout.rootID)), besides: Set(changed))
    identityMap.visit { readers.note($0) }
    guard !readers.isEmpty else { return [] }
    // These reads must not pin the query generation that the context is going to read.
    let choice = generationChoice
    if parent == nil { generationChoice = .unpinned }
    defer { generationChoice = choice }
    for id in changed {
      for property in id.layout.toManys where readers.has(property) {
        let collector = RowCollector()
        // After a failed read an owner keeps its members, as with any failed read in a merge.
        guard (try? source.fetchDestinations(of: id, property, into: collector)) != nil else {
          continue
        }
        for row in collector.rows {
          guard let store = id.storeReference,
            let member = registered(
              NSManagedObjectID(layout: row.layout, store: store, key: row.key))
          else { continue }
          readers.find(member, property)
        }
      }
    }
    return readers.found.sorted { ($0.layout.name, $0.rowKey) < ($1.layout.name, $1.rowKey) }
  }

  private final func keepsOneOwner(_ id: NSManagedObjectID) -> Bool {
    (try? id.storeReference?.store?.requireEngine().keepsOneOwner) == true
  }
}

/// Finds objects whose loaded relationships without inverses have a member.
private struct MemberReaders {
  private struct Place: Hashable {
    let property: ObjectIdentifier
    let member: ObjectIdentifier
  }

  private let roots: Set<ObjectIdentifier>
  private let named: Set<NSManagedObjectID>
  private var readers: [Place: [NSManagedObject]] = [:]
  private var properties: Set<ObjectIdentifier> = []
  private var foundPlaces: Set<ObjectIdentifier> = []
  private(set) var found: [NSManagedObject] = []

  var isEmpty: Bool { readers.isEmpty }

  /// - Parameters:
  ///   - roots: the hierarchies of the owners.
  ///   - named: the objects that are refreshed anyway.
  init(of roots: Set<ObjectIdentifier>, besides named: Set<NSManagedObjectID>) {
    (self.roots, self.named) = (roots, named)
  }

  func has(_ property: PropertyLayout) -> Bool { properties.contains(ObjectIdentifier(property)) }

  mutating func note(_ object: NSManagedObject) {
    guard roots.contains(object.layout.rootID), let touched = object.touchedMembers,
      !object.state.contains(.inaccessible), !named.contains(object.identity)
    else { return }
    for property in object.layout.toManys where property.inverse == nil && !property.isTransient {
      guard let members = touched[property.slot], members.isLoaded else { continue }
      for member in members.committedObjects {
        let place = Place(
          property: ObjectIdentifier(property), member: ObjectIdentifier(member))
        readers[place, default: []].append(object)
        properties.insert(ObjectIdentifier(property))
      }
    }
  }

  mutating func find(_ member: NSManagedObject, _ property: PropertyLayout) {
    let place = Place(property: ObjectIdentifier(property), member: ObjectIdentifier(member))
    for object in readers[place] ?? []
    where foundPlaces.insert(ObjectIdentifier(object)).inserted {
      found.append(object)
    }
  }
}
