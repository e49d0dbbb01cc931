/// What a context did to the destinations of a to-many relationship, to be done again to what others made of
/// them meanwhile.
///
/// What was taken out stays out, what was added is there. The order is the others', unless the context
/// changed it: then the destinations that both have stand in its order, in the places they have among the
/// others'. What was added comes after the destination it was put after; what was added at the end comes last.
struct MemberMerge {
  private let base: [NSManagedObject]
  private let mine: [NSManagedObject]
  private let isOrdered: Bool

  /// - Parameters:
  ///   - base: the destinations before the changes.
  ///   - mine: the destinations after them.
  init(from base: [NSManagedObject], to mine: [NSManagedObject], isOrdered: Bool) {
    (self.base, self.mine, self.isOrdered) = (base, mine, isOrdered)
  }

  /// The destinations that others have, with the changes.
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

  /// Puts destinations that were moved into the new order.
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

  /// Puts in what was added.
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
        // Something follows, so these don't stand at the end.
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
