/// A context's changes to the destinations of a to-many relationship, to be reapplied to the destinations that other
/// writers have since stored.
///
/// Removed destinations stay removed, added ones stay added. The order is the other writers', unless the context
/// changed it: then the destinations that both have are arranged in the context's order, in the positions they occupy
/// among the other writers' destinations. An added destination follows the one it was inserted after; those added at
/// the end come last.
struct MemberMerge {
  private let base: [NSManagedObject]
  private let mine: [NSManagedObject]
  private let isOrdered: Bool

  /// - Parameters:
  ///   - base: the destinations before the changes.
  ///   - mine: the destinations after the changes.
  init(from base: [NSManagedObject], to mine: [NSManagedObject], isOrdered: Bool) {
    (self.base, self.mine, self.isOrdered) = (base, mine, isOrdered)
  }

  /// The other writers' destinations, with the changes applied.
  func applied(to theirs: [NSManagedObject]) -> [NSManagedObject] {
    if mine.elementsEqual(base, by: ===) { return theirs }
    let (before, now) = (Self.set(base), Self.set(mine))
    var merged = theirs.filter {
      now.contains(ObjectIdentifier($0)) || !before.contains(ObjectIdentifier($0))
    }
    let present = Self.set(merged)
    guard isOrdered else {
      return merged
        + mine.filter {
          !before.contains(ObjectIdentifier($0)) && !present.contains(ObjectIdentifier($0))
        }
    }
    merged = moved(merged, present)
    return inserting(into: merged, present, before)
  }

  private static func set(_ objects: [NSManagedObject]) -> Set<ObjectIdentifier> {
    Set(objects.map(ObjectIdentifier.init))
  }

  /// Arranges moved destinations in the new order.
  private func moved(
    _ merged: [NSManagedObject], _ present: Set<ObjectIdentifier>
  ) -> [NSManagedObject] {
    let before = Self.set(base)
    let kept = mine.filter {
      before.contains(ObjectIdentifier($0)) && present.contains(ObjectIdentifier($0))
    }
    let keptSet = Self.set(kept)
    let old = base.filter { keptSet.contains(ObjectIdentifier($0)) }
    guard !old.elementsEqual(kept, by: ===) else { return merged }
    var next = kept.makeIterator()
    return merged.map { keptSet.contains(ObjectIdentifier($0)) ? next.next() ?? $0 : $0 }
  }

  /// Inserts the added destinations.
  private func inserting(
    into merged: [NSManagedObject], _ present: Set<ObjectIdentifier>,
    _ before: Set<ObjectIdentifier>
  ) -> [NSManagedObject] {
    var first: [NSManagedObject] = []
    var following: [ObjectIdentifier: [NSManagedObject]] = [:]
    var pending: [NSManagedObject] = []
    var anchor: ObjectIdentifier?
    for object in mine {
      let id = ObjectIdentifier(object)
      if present.contains(id) {
        // A kept destination follows, so these weren't added at the end.
        if let anchor { following[anchor, default: []] += pending } else { first += pending }
        (anchor, pending) = (id, [])
      } else if !before.contains(id) {
        pending.append(object)
      }
    }
    guard !first.isEmpty || !following.isEmpty else { return merged + pending }
    var result = first
    for object in merged {
      result.append(object)
      result += following[ObjectIdentifier(object)] ?? []
    }
    return result + pending
  }
}
