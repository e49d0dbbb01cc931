import Foundation

/// The difference between an old and a new state of a fetched results controller's contents.
struct ContentsChange {
  /// The change of one object, with its positions in the old and the new contents.
  struct ObjectChange {
    let object: NSObject
    let type: NSFetchedResultsChangeType
    let old: Int?
    let new: Int?
  }

  /// The indexes of the deleted sections in the old contents.
  let deletedSections: [Int]
  /// The indexes of the inserted sections in the new contents.
  let insertedSections: [Int]
  /// The changes of objects: deletions, insertions, moves and updates in place.
  let objects: [ObjectChange]

  var isEmpty: Bool { deletedSections.isEmpty && insertedSections.isEmpty && objects.isEmpty }

  init(deletedSections: [Int], insertedSections: [Int], objects: [ObjectChange]) {
    self.deletedSections = deletedSections
    self.insertedSections = insertedSections
    self.objects = objects
  }

  /// - Parameter changed: the objects whose values changed.
  init(from old: FetchedContents, to new: FetchedContents, changed: Set<ObjectIdentifier>) {
    let staying = Self.stayingSections(from: old, to: new)
    deletedSections = old.sections.indices.filter { !staying.contains(old.sections[$0].name) }
    insertedSections = new.sections.indices.filter { !staying.contains(new.sections[$0].name) }

    var deletions: [ObjectChange] = []
    for (index, object) in old.objects.enumerated() where new.position(of: object) == nil {
      deletions.append(ObjectChange(object: object, type: .delete, old: index, new: nil))
    }
    var insertions: [ObjectChange] = []
    var kept: [Kept] = []
    let (oldNames, newNames) = (old.names, new.names)
    for (index, object) in new.objects.enumerated() {
      guard let before = old.position(of: object) else {
        insertions.append(ObjectChange(object: object, type: .insert, old: nil, new: index))
        continue
      }
      let changesSection =
        !oldNames.isEmpty
        && (oldNames[before] != newNames[index] || !staying.contains(newNames[index]))
      kept.append(
        Kept(
          old: before, new: index, isChanged: changed.contains(ObjectIdentifier(object)),
          changesSection: changesSection))
    }
    let moved = Self.moved(kept)
    var moves: [ObjectChange] = []
    var updates: [ObjectChange] = []
    for object in kept {
      let isMoved = moved.contains(object.new) || object.changesSection
      guard isMoved || object.isChanged else { continue }
      let change = ObjectChange(
        object: new.objects[object.new], type: isMoved ? .move : .update, old: object.old,
        new: object.new)
      if isMoved { moves.append(change) } else { updates.append(change) }
    }
    objects = deletions + insertions + moves + updates
  }

  /// The names of the sections that are in both contents and keep their relative order: as many as possible.
  /// Delegates are told of inserted and deleted sections, but not of moved ones.
  private static func stayingSections(
    from old: FetchedContents, to new: FetchedContents
  ) -> Set<String> {
    let places = Dictionary(
      old.sections.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let kept = new.sections.enumerated().compactMap { index, section in
      places[section.name].map {
        Kept(old: $0, new: index, isChanged: false, changesSection: false)
      }
    }
    return Set(longestRun(kept[...]).map { new.sections[$0.new].name })
  }

  /// An object in both contents.
  private struct Kept {
    let old: Int
    let new: Int
    let isChanged: Bool
    let changesSection: Bool
  }

  /// The new positions of the objects whose relative order changed.
  ///
  /// Unchanged objects stay in place, and so do as many changed objects as possible.
  private static func moved(_ kept: [Kept]) -> Set<Int> {
    let stays = { (object: Kept) in !object.isChanged && !object.changesSection }
    let fixed = kept.filter(stays).map(\.old)
    // If the order depends on other objects' values, it can change without these objects changing.
    guard zip(fixed, fixed.dropFirst()).allSatisfy(<) else {
      return Set(kept.map(\.new)).subtracting(longestRun(kept[...]).map(\.new))
    }
    var moved: Set<Int> = []
    var start = 0
    var lower = -1
    while start < kept.count {
      let end = kept[start...].firstIndex(where: stays) ?? kept.count
      let upper = end < kept.count ? kept[end].old : Int.max
      let group = kept[start..<end]
      let inside = group.filter { $0.old > lower && $0.old < upper }
      moved.formUnion(group.map(\.new))
      moved.subtract(longestRun(inside[...]).map(\.new))
      (start, lower) = (end + 1, upper)
    }
    return moved
  }

  /// The new positions of as many objects as possible that stayed in place, among changed objects with no unchanged one
  /// between them.
  ///
  /// - Parameters:
  ///   - lower: The old position of the unchanged object before them.
  ///   - upper: The old position of the unchanged object after them.
  static func inPlace(_ group: [(old: Int, new: Int)], lower: Int, upper: Int) -> Set<Int> {
    let inside = group.filter { $0.old > lower && $0.old < upper }.map {
      Kept(old: $0.old, new: $0.new, isChanged: true, changesSection: false)
    }
    return Set(longestRun(inside[...]).map(\.new))
  }

  /// The longest part of a list, in its order, whose old positions ascend.
  private static func longestRun(_ list: ArraySlice<Kept>) -> [Kept] {
    let list = Array(list)
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: list.count)
    for (index, object) in list.enumerated() {
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if list[tails[middle]].old < object.old { low = middle + 1 } else { high = middle }
      }
      previous[index] = low > 0 ? tails[low - 1] : nil
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var run: [Kept] = []
    var next = tails.last
    while let index = next {
      run.append(list[index])
      next = previous[index]
    }
    return run.reversed()
  }
}

extension ContentsChange {
  /// The object changes as a difference of object IDs.
  func difference(
    _ old: FetchedContents, _ new: FetchedContents
  ) -> CollectionDifference<NSManagedObjectID> {
    // Sorted as the difference sorts them, which is faster then.
    let known = objects.compactMap { part in
      (part.object as? NSManagedObject).map { (id: $0.objectID, old: part.old, new: part.new) }
    }
    let removals = known.filter { $0.old != nil }.sorted { $0.old ?? 0 < $1.old ?? 0 }
    let insertions = known.filter { $0.new != nil }.sorted { $0.new ?? 0 < $1.new ?? 0 }
    var changes: [CollectionDifference<NSManagedObjectID>.Change] = []
    changes.reserveCapacity(removals.count + insertions.count)
    for part in removals {
      changes.append(.remove(offset: part.old ?? 0, element: part.id, associatedWith: part.new))
    }
    for part in insertions {
      changes.append(.insert(offset: part.new ?? 0, element: part.id, associatedWith: part.old))
    }
    return CollectionDifference(changes) ?? [].difference(from: [])
  }
}
