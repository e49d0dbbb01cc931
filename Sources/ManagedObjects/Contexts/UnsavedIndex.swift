import DataModels

/// Finds the unsaved objects that may satisfy a request's predicate, without visiting all of them.
///
/// Programs that import look up each row beside everything that they have inserted so far, so a lookup mustn't take time
/// proportional to that. The index is made when it is first needed, follows the context's lists as these grow, and is
/// dropped when anything leaves them. Its answers are candidates: values that aren't indexed and outdated places make
/// it give too many, never too few.
final class UnsavedIndex {
  /// What is indexed: the values of one slot in the objects of one hierarchy.
  fileprivate struct Place: Hashable {
    let root: ObjectIdentifier
    let slot: Int
  }

  /// The objects with one value. Mostly it is one, and an array for each would take longer to make than all the rest.
  fileprivate enum Objects {
    case none
    case one(NSManagedObject)
    case several([NSManagedObject])

    mutating func append(_ object: NSManagedObject) {
      switch self {
      case .none: self = .one(object)
      case .one(let first): self = .several([first, object])
      case .several(var objects):
        // With a second reference to the array, appending would copy it.
        self = .none
        objects.append(object)
        self = .several(objects)
      }
    }

    var count: Int {
      switch self {
      case .none: 0
      case .one: 1
      case .several(let objects): objects.count
      }
    }

    func add(to found: inout [NSManagedObject]) {
      switch self {
      case .none: break
      case .one(let object): found.append(object)
      case .several(let objects): found += objects
      }
    }
  }

  /// The objects at a place by value.
  fileprivate struct Table {
    var byValue: [Key: Objects] = [:]
    /// Objects that have a value of a kind that isn't indexed, and faults.
    var others: [NSManagedObject] = []
    /// How much of the context's lists was taken in.
    var insertedCount = 0
    var updatedCount = 0
    /// How often objects that had changed were taken in again.
    var repetitions = 0
  }

  /// Where objects of each entity begin in a list.
  struct Beginnings {
    private var places: [(layout: EntityLayout, first: Int)] = []
    private var count = 0

    /// Takes in what the list has gained, and returns the first place of an object whose layout is meant.
    mutating func first(
      in list: [NSManagedObject], where isMeant: (EntityLayout) -> Bool
    ) -> Int? {
      var last: EntityLayout?
      for place in count..<max(count, list.count) where list[place].layout !== last {
        let layout = list[place].layout
        last = layout
        guard !places.contains(where: { $0.layout === layout }) else { continue }
        places.append((layout, place))
      }
      count = list.count
      return places.first { isMeant($0.layout) }?.first
    }
  }

  private var tables: [Place: Table] = [:]
  /// Indexed objects that were changed since.
  private var changed: [NSManagedObject] = []
  private var insertedBeginnings = Beginnings()
  private var updatedBeginnings = Beginnings()

  /// From how many objects on a lookup is cheaper than a visit to each. Builds with assertions use the index for few
  /// objects, so that tests meet it.
  static var threshold: Int { _isDebugAssertConfiguration() ? 3 : 32 }

  // MARK: Following the context

  /// Notes that an indexed object's values have changed.
  func noteChange(of object: NSManagedObject) { changed.append(object) }

  /// Takes changed objects in again, at their new places.
  private func takeChanged() {
    guard !changed.isEmpty else { return }
    let changed = self.changed
    self.changed = []
    for place in Array(tables.keys) {
      tables[place]?.repetitions += changed.count
      for object in changed where object.layout.rootID == place.root && object.isUnsaved {
        tables[place]?.insert(object, place.slot)
      }
    }
  }

  // MARK: Looking up

  /// The unsaved objects that may have all needed values, in no particular order, perhaps repeatedly: those that are
  /// found by the value that the fewest have.
  func fewestCandidates(
    _ needs: [Needed], of layout: EntityLayout, in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    takeChanged()
    var fewest: (needed: Needed, count: Int)?
    for needed in needs {
      let place = follow(needed, of: layout, in: context)
      let count = tables[place]?.candidateCount(needed) ?? 0
      if fewest.map({ count < $0.count }) ?? true { fewest = (needed, count) }
      // Another table would cost more than it saves.
      if count <= Self.threshold { break }
    }
    return fewest.map { candidates($0.needed, of: layout, in: context) } ?? []
  }

  /// The unsaved objects that may be found by a value, in no particular order, perhaps repeatedly.
  func candidates(
    _ needed: Needed, of layout: EntityLayout, in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    takeChanged()
    let place = follow(needed, of: layout, in: context)
    assert(isComplete(needed, at: place, in: context), "the index of unsaved objects misses one")
    return tables[place]?.candidates(needed) ?? []
  }

  /// Has the table for a value take in what the context's lists have gained.
  private func follow(
    _ needed: Needed, of layout: EntityLayout, in context: NSManagedObjectContext
  ) -> Place {
    let place = Place(root: layout.rootID, slot: needed.slot)
    // What has moved often leaves many outdated places.
    let limit = context.inserted.count + context.updated.count + 64
    if let present = tables[place], present.repetitions > limit { tables[place] = nil }
    tables[place, default: Table()].follow(context, place)
    return place
  }

  /// Sorts candidates as in the list that they are from, and removes repetitions.
  func inOrder(_ found: [NSManagedObject], of list: [NSManagedObject]) -> [NSManagedObject] {
    guard found.count > 1 else { return found }
    let wanted = Set(found.map(ObjectIdentifier.init))
    return wanted.count == 1
      ? [found[0]] : list.filter { wanted.contains(ObjectIdentifier($0)) }
  }

  /// The first inserted and the first updated object that is of one of the entities that are meant.
  func beginnings(
    in context: NSManagedObjectContext, where isMeant: (EntityLayout) -> Bool
  ) -> (inserted: Int?, updated: Int?) {
    (
      insertedBeginnings.first(in: context.inserted, where: isMeant),
      updatedBeginnings.first(in: context.updated, where: isMeant)
    )
  }

  /// Whether every unsaved object with a value is found by it.
  private func isComplete(
    _ needed: Needed, at place: Place, in context: NSManagedObjectContext
  ) -> Bool {
    guard let table = tables[place] else { return true }
    let found = Set(table.candidates(needed).map(ObjectIdentifier.init))
    return (context.inserted + context.updated).allSatisfy { object in
      guard object.layout.rootID == place.root, object.isUnsaved,
        object.layout.valueCount > place.slot, !object.isFault,
        needed.mayBe(object.currentValue(at: place.slot))
      else { return true }
      return found.contains(ObjectIdentifier(object))
    }
  }
}

extension UnsavedIndex.Table {
  /// How many candidates there are, with repetitions.
  fileprivate func candidateCount(_ needed: UnsavedIndex.Needed) -> Int {
    needed.keys.reduce(others.count) { $0 + (byValue[$1]?.count ?? 0) }
  }

  fileprivate func candidates(_ needed: UnsavedIndex.Needed) -> [NSManagedObject] {
    var found: [NSManagedObject] = []
    for key in needed.keys { byValue[key]?.add(to: &found) }
    return found + others
  }

  /// Takes in what the context's lists have gained.
  fileprivate mutating func follow(_ context: NSManagedObjectContext, _ place: UnsavedIndex.Place) {
    let (inserted, updated) = (context.inserted, context.updated)
    if insertedCount == 0, updatedCount == 0 {
      byValue.reserveCapacity(
        inserted.count(where: { $0.layout.rootID == place.root })
          + updated.count(where: { $0.layout.rootID == place.root }))
    }
    for object in inserted[insertedCount...] where object.layout.rootID == place.root {
      insert(object, place.slot)
    }
    for object in updated[updatedCount...] where object.layout.rootID == place.root {
      insert(object, place.slot)
    }
    (insertedCount, updatedCount) = (inserted.count, updated.count)
  }

  fileprivate mutating func insert(_ object: NSManagedObject, _ slot: Int) {
    // An entity above the one that has the attribute.
    guard object.layout.valueCount > slot else { return }
    object.state.insert(.indexed)
    guard !object.isFault else { return others.append(object) }
    let value = object.currentValue(at: slot)
    if let key = UnsavedIndex.Key(value) {
      byValue[key, default: .none].append(object)
    } else if !value.isNull {
      // Nothing is looked up by null, and an object that gets a value is taken in again.
      others.append(object)
    }
  }
}

extension NSManagedObject {
  fileprivate final var isUnsaved: Bool { !state.isDisjoint(with: [.inserted, .updated]) }
}
