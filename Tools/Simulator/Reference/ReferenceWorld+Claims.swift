/// Members of relationships without inverse: their rows have room for one owner.
extension ReferenceWorld {
  /// A member's place in a relationship.
  struct MemberPlace: Hashable {
    var relationship: String
    var member: ObjectName
  }

  /// The owners to which a save gives members.
  func claims(_ c: Int) -> [MemberPlace: Set<ObjectName>] {
    guard !isInMemory else { return [:] }
    var claims: [MemberPlace: Set<ObjectName>] = [:]
    for name in contexts[c].names({ ($0.isInserted || $0.isUpdated) && !$0.isDeleted }) {
      guard let object = contexts[c].objects[name] else { continue }
      for relationship in model.relationships(of: object.entity)
      where relationship.isToMany && relationship.inverse == nil {
        for member in object.toManys[relationship.name]?.difference.added ?? [] {
          claims[MemberPlace(relationship: relationship.name, member: member), default: []].insert(
            name)
        }
      }
    }
    return claims
  }

  /// Whether a save gives a member to several owners. The one that is written last keeps it, in an order that isn't
  /// specified.
  func claimsTwice(_ c: Int) -> Bool { claims(c).values.contains { $0.count > 1 } }

  /// Lets former owners in the context that has saved read their members again.
  mutating func release(_ claims: [MemberPlace: Set<ObjectName>], _ c: Int) {
    for (name, object) in contexts[c].objects {
      for (key, members) in object.toManys where members.isRead {
        let isFormer = members.now.contains { member in
          claims[MemberPlace(relationship: key, member: member)].map { !$0.contains(name) } ?? false
        }
        if isFormer { contexts[c].objects[name]?.toManys[key] = nil }
      }
    }
  }

  /// Refreshes the objects of a context that still have members which a save gave to others.
  mutating func refreshFormerOwners(_ saved: SavedNames, _ c: Int) throws {
    guard !isInMemory else { return }
    let named = Set(saved.inserted + saved.updated)
    let former = contexts[c].names { object in
      object.toManys.contains { key, members in
        guard members.isRead, let relationship = model.relationship(key),
          relationship.inverse == nil
        else { return false }
        return members.stored.contains { member in
          store.owner(of: member, relationship).map(named.contains) ?? false
        }
      }
    }
    for name in former where !named.contains(name) {
      guard let object = contexts[c].objects[name], !object.isGone else { continue }
      guard !object.isDeleted else { throw Undecided("a former owner that is deleted") }
      try refresh(c, name, merging: true)
    }
  }
}
