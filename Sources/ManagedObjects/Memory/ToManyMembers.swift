import Foundation

/// The destinations of one object's to-many relationship.
///
/// They aren't loaded until they are read; until then, additions and removals are recorded, and applied on loading.
/// Changes to loaded destinations are recorded too, because finding them by comparison would make each save take time
/// proportional to the length of the relationship.
final class ToManyMembers {
  /// Whether the relationship is ordered.
  let isOrdered: Bool
  /// Whether the destinations are loaded.
  private(set) var isLoaded: Bool
  /// Whether the store is known to have no destinations: then changes needn't be tracked.
  private var isNew: Bool
  /// Whether destinations are being loaded for many objects at once, and those received so far.
  private(set) var isArriving = false
  @exclusivity(unchecked) private var arriving: [NSManagedObject] = []

  /// Incremented whenever the destinations change, are loaded or are forgotten.
  private(set) var changes = 0
  @exclusivity(unchecked) private var list = ObjectList()
  /// The objects added since the last save, unless ``isNew``.
  @exclusivity(unchecked) private var addedList = ObjectList()
  /// The objects removed since the last save.
  @exclusivity(unchecked) private var removedList = ObjectList()
  /// The destinations as the store has them, if they can't be derived from the current ones and the changes: in an
  /// ordered relationship, after any change other than an addition at the end.
  private var stored: [NSManagedObject]?
  /// The changes of the current event, for undo; nil if they aren't recorded.
  private(set) var journal: MemberJournal?

  /// Creates the destinations of a new object (none, loaded), or of one in the store (not loaded).
  init(isLoaded: Bool, isOrdered: Bool) {
    self.isLoaded = isLoaded
    self.isOrdered = isOrdered
    isNew = isLoaded
  }

  /// The destinations, once loaded; in the relationship's order if it has one.
  var objects: [NSManagedObject] { list.objects }
  /// The number of destinations, once loaded.
  var count: Int { list.count }

  // MARK: What was changed

  /// The destinations as the store has them, once loaded.
  var committed: [NSManagedObjectID] { committedObjects.map(\.objectID) }

  /// The destinations as the store has them, as objects; in no particular order if the relationship is unordered.
  var committedObjects: [NSManagedObject] {
    if let stored { return stored }
    guard isLoaded, !isNew else { return [] }
    if addedList.isEmpty { return list.objects + removedList.objects }
    let added = Set(addedList.objects.map(ObjectIdentifier.init))
    return list.objects.filter { !added.contains(ObjectIdentifier($0)) } + removedList.objects
  }

  /// The objects added since the last save.
  var added: [NSManagedObject] {
    guard isLoaded else { return addedList.objects }
    if isNew { return list.objects }
    guard isOrdered, stored != nil, addedList.count > 1 else { return addedList.objects }
    let added = Set(addedList.objects.map(ObjectIdentifier.init))
    return list.objects.filter { added.contains(ObjectIdentifier($0)) }
  }

  /// The objects removed since the last save.
  var removed: [NSManagedObjectID] { removedObjects.map(\.objectID) }

  /// The objects removed since the last save.
  var removedObjects: [NSManagedObject] { removedList.objects }

  /// Whether anything differs from what the store has.
  var hasChanges: Bool {
    if isNew { return !list.isEmpty }
    if !addedList.isEmpty || !removedList.isEmpty { return true }
    return stored.map { !list.objects.elementsEqual($0, by: ===) } ?? false
  }

  /// Whether nothing was changed since the last save but that objects were added at the end of the loaded destinations.
  var onlyGrewAtTheEnd: Bool { isLoaded && !isNew && stored == nil && removedList.isEmpty }

  /// The current destinations.
  var contents: Contents {
    isLoaded
      ? Contents(isLoaded: true, objects: list.objects)
      : Contents(objects: addedList.objects, removed: removedList.objects)
  }

  /// Keeps the stored destinations before a change after which they can't be derived.
  private func keepStored() {
    guard isOrdered, isLoaded, !isNew, stored == nil else { return }
    stored = committedObjects
  }

  private func noteAdded(_ object: NSManagedObject, returns: Bool = false) {
    guard !isNew else { return }
    // A deleted object that is put back is told of as a new member, which a save refuses.
    if removedList.isEmpty || object.awaitsDeletion && !returns
      || !removedList.remove(object, keepsOrder: isOrdered)
    {
      addedList.appendNew(object)
    }
  }

  private func noteRemoved(_ object: NSManagedObject) {
    guard !isNew else { return }
    if addedList.isEmpty || !addedList.remove(object, keepsOrder: isOrdered) {
      removedList.append(object)
    }
  }

  /// Replaces the current and the stored destinations, and compares them.
  private func take(_ objects: [NSManagedObject], storedAs stored: [NSManagedObject]) {
    (list, addedList, removedList) = (ObjectList(unique: objects), ObjectList(), ObjectList())
    isNew = stored.isEmpty
    self.stored = isOrdered && !isNew ? stored : nil
    guard !isNew else { return }
    let (now, before) = (Self.identifiers(objects), Self.identifiers(stored))
    addedList = ObjectList(unique: objects.filter { !before.contains(ObjectIdentifier($0)) })
    removedList = ObjectList(unique: stored.filter { !now.contains(ObjectIdentifier($0)) })
  }

  private static func identifiers(_ objects: [NSManagedObject]) -> Set<ObjectIdentifier> {
    Set(objects.map(ObjectIdentifier.init))
  }

  // MARK: Loading and forgetting

  /// Takes the store's destinations, and applies the recorded changes to them.
  func load(_ stored: [NSManagedObject]) {
    changes &+= 1
    journal?.settle(contents)
    let (added, removed) = (addedList.objects, removedList.objects)
    (addedList, removedList) = (ObjectList(), ObjectList())
    list = ObjectList(unique: stored)
    (isLoaded, isNew) = (true, stored.isEmpty)
    self.stored = isOrdered && !isNew && !removed.isEmpty ? stored : nil
    for object in removed where list.remove(object, keepsOrder: isOrdered) { noteRemoved(object) }
    for object in added where list.append(object) { noteAdded(object) }
  }

  /// Takes the store's latest destinations, and reapplies the changes since the last save.
  func rebase(on stored: [NSManagedObject]) {
    guard isLoaded else { return load(stored) }
    changes &+= 1
    journal?.settle(contents)
    let merged = MemberMerge(from: committedObjects, to: list.objects, isOrdered: isOrdered)
      .applied(to: stored)
    take(merged, storedAs: stored)
  }

  /// Removes an object that was given to another owner in this context before it was known to be among these
  /// destinations in the store. Since it was never removed from them here, this doesn't count as a change.
  func exclude(_ object: NSManagedObject) {
    guard list.contains(object) else { return }
    changes &+= 1
    journal?.settle(contents)
    keepStored()
    list.remove(object, keepsOrder: isOrdered)
    addedList.remove(object, keepsOrder: isOrdered)
    stored?.removeAll { $0 === object }
  }

  /// Removes objects that were deleted from the store. This doesn't count as a local change.
  func drop(_ gone: Set<ObjectIdentifier>) -> Bool {
    func isGone(_ object: NSManagedObject) -> Bool { gone.contains(ObjectIdentifier(object)) }
    func drop(_ list: inout ObjectList) {
      guard list.objects.contains(where: isGone) else { return }
      list = ObjectList(unique: list.objects.filter { !isGone($0) })
    }
    let isMember = list.objects.contains(where: isGone)
    changes &+= 1
    journal?.settle(contents)
    drop(&list)
    drop(&addedList)
    drop(&removedList)
    if stored?.contains(where: isGone) == true { stored?.removeAll(where: isGone) }
    return isMember
  }

  /// Prepares for ``arrive(_:)``; returns false when the destinations are loaded.
  ///
  /// - Parameter again: whether to reload destinations that are loaded.
  func beginLoading(again: Bool = false) -> Bool {
    guard again || !isLoaded else { return false }
    arriving = []
    isArriving = true
    return true
  }

  /// Receives one of the store's destinations.
  @inline(__always)
  func arrive(_ object: NSManagedObject) { arriving.append(object) }

  /// Returns the received destinations, once, without applying them.
  func endLoading() -> [NSManagedObject]? {
    guard isArriving else { return nil }
    let stored = arriving
    (arriving, isArriving) = ([], false)
    return stored
  }

  /// Returns to the unloaded state; the destinations are read again when next needed.
  func forget() {
    changes &+= 1
    journal?.settle(contents)
    (list, addedList, removedList, stored) = (ObjectList(), ObjectList(), ObjectList(), nil)
    (isLoaded, isNew) = (false, false)
  }

  /// Forgets everything if one of the destinations has accessed to-many relationships too, which may refer back: the
  /// context, which could break the cycle, is about to be deallocated.
  func breakCircle() {
    journal = nil
    if mayLeadBack { forget() }
  }

  /// Whether one of the destinations has accessed to-many relationships too.
  var mayLeadBack: Bool {
    let lists = [list.objects, addedList.objects, removedList.objects, stored ?? []]
    return lists.contains { $0.contains { $0.hasTouchedToManys } }
  }

  /// Makes the loaded destinations those of a new object, as the store no longer has any. Destinations that aren't
  /// loaded can still be read later.
  func becomeNew() {
    guard isLoaded || hasChanges else { return }
    let present = isLoaded ? list : addedList
    forget()
    (list, isLoaded, isNew) = (present, true, true)
  }

  /// Makes the current destinations the stored ones.
  func commit() {
    (addedList, removedList, stored) = (ObjectList(), ObjectList(), nil)
    isNew = isLoaded && list.isEmpty
  }

  // MARK: Members

  /// Whether the object is among the destinations, as far as these are known.
  func contains(_ object: NSManagedObject) -> Bool {
    isLoaded ? list.contains(object) : addedList.contains(object)
  }

  /// Whether an object was removed since the last save, as far as is known without loading the destinations.
  func hasRemoved(_ object: NSManagedObject) -> Bool {
    !removedList.isEmpty && removedList.contains(object)
  }

  /// The position of an object; nil if it isn't among the destinations. These must be loaded.
  func position(of object: NSManagedObject) -> Int? { list.position(of: object) }

  /// Adds an object, at the end of an ordered relationship; returns whether it was new.
  ///
  /// - Parameter returns: whether a stored member that is being deleted is what it was again, as its deletion leaves it here.
  @discardableResult
  func append(_ object: NSManagedObject, returns: Bool = false) -> Bool {
    changes &+= 1
    if isLoaded {
      guard list.append(object) else { return false }
      noteAdded(object, returns: returns)
    } else {
      guard removedList.remove(object) || addedList.append(object) else { return false }
    }
    journal?.note(object, isAddition: true)
    return true
  }

  /// Adds an object, also if it was among the destinations that were read: the store has it there no longer. It keeps its
  /// position here.
  func addAgain(_ object: NSManagedObject) {
    guard !append(object) else { return }
    changes &+= 1
    keepStored()
    stored?.removeAll { $0 === object }
    if !isNew { addedList.append(object) }
  }

  /// Adds an object that is known not to be among the destinations. These must be loaded.
  @inline(__always)
  func appendNew(_ object: NSManagedObject) {
    changes &+= 1
    list.appendNew(object)
    if !isNew { noteAdded(object) }
    if let journal { journal.note(object, isAddition: true) }
  }

  /// Inserts an object at an index; returns whether it was new. The destinations must be loaded.
  func insert(_ object: NSManagedObject, at index: Int) -> Bool {
    changes &+= 1
    if index != list.count { keepStored() }
    guard list.insert(object, at: index) else { return false }
    noteAdded(object)
    journal?.note(object, isAddition: true)
    return true
  }

  /// Moves destinations, keeping their order, to an index that is counted without them. The destinations must be
  /// loaded.
  func move(_ indexes: IndexSet, to index: Int) {
    changes &+= 1
    keepStored()
    list.move(indexes, to: index)
  }

  /// Moves a destination to where the store has it: behind the nearest one before it there that is still a destination.
  func moveToStoredPlace(_ object: NSManagedObject) {
    guard let stored, let place = stored.firstIndex(where: { $0 === object }),
      let position = list.position(of: object)
    else { return }
    var index = 0
    for other in stored[..<place].reversed() {
      guard let former = list.position(of: other) else { continue }
      index = former < position ? former + 1 : former
      break
    }
    if index != position { move(IndexSet(integer: position), to: index) }
  }

  /// Removes an object; returns whether that changed anything.
  @discardableResult
  func remove(_ object: NSManagedObject) -> Bool {
    changes &+= 1
    if isLoaded {
      if stored == nil, isOrdered { keepStored() }
      guard list.remove(object, keepsOrder: isOrdered) else { return false }
      noteRemoved(object)
    } else {
      guard addedList.remove(object) || removedList.append(object) else { return false }
    }
    journal?.note(object, isAddition: false)
    return true
  }

  /// Replaces all destinations. The objects must be distinct, and are in the new order.
  func replace(with objects: [NSManagedObject]) {
    changes &+= 1
    journal?.settle(contents)
    // Deleted objects that were put back stay new members.
    let returned = addedList.objects.filter { removedList.contains($0) }
    take(objects, storedAs: committedObjects)
    for object in returned where list.contains(object) && !addedList.contains(object) {
      addedList.appendNew(object)
    }
  }

  // MARK: The present event

  /// Begins to record changes, for undo.
  func beginJournal() {
    journal = MemberJournal()
    // Positions aren't recorded.
    if isOrdered { journal?.contents = contents }
  }

  /// Ends ``beginJournal()``.
  func endJournal() { journal = nil }

  /// The destinations at the beginning of the current event; nil if changes aren't recorded.
  var contentsBeforeEvent: Contents? {
    get {
      journal?.settle(contents)
      return journal?.contents
    }
    set { if let newValue { journal?.contents = newValue } }
  }
}
