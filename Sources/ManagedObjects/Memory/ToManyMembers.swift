import Foundation

/// The destinations of one object's to-many relationship.
///
/// They are loaded when first read. Until then, additions and removals are recorded, and applied once the
/// destinations are loaded.
final class ToManyMembers {
  /// Whether the relationship is ordered.
  let isOrdered: Bool
  /// Whether the destinations are loaded.
  private(set) var isLoaded: Bool
  /// The destinations in the store, once loaded.
  var committed: [NSManagedObjectID] { committedObjects.map(\.objectID) }

  /// The same as objects. The array shares its memory with the current ones until they change.
  private(set) var committedObjects: [NSManagedObject] = []
  /// Whether a bulk load for many objects is in progress, and the destinations received so far.
  private(set) var isArriving = false
  @exclusivity(unchecked) private var arriving: [NSManagedObject] = []

  /// Incremented whenever the destinations change, are loaded or are forgotten.
  private(set) var changes = 0
  @exclusivity(unchecked) private var list = ObjectList()
  @exclusivity(unchecked) private var addedList = ObjectList()
  private var removedList = ObjectList()

  /// Creates the destinations of a new object (none, loaded), or of one in the store (not loaded).
  init(isLoaded: Bool, isOrdered: Bool) {
    self.isLoaded = isLoaded
    self.isOrdered = isOrdered
  }

  /// The destinations, once loaded; in the relationship's order if it has one.
  var objects: [NSManagedObject] { list.objects }
  /// The number of destinations, once loaded.
  var count: Int { list.count }

  /// The objects added since the last save.
  var added: [NSManagedObject] {
    guard isLoaded else { return addedList.objects }
    guard !committedObjects.isEmpty else { return list.objects }
    let before = Set(committedObjects.map(ObjectIdentifier.init))
    return list.objects.filter { !before.contains(ObjectIdentifier($0)) }
  }

  /// The objects removed since the last save.
  var removed: [NSManagedObjectID] { removedObjects.map(\.objectID) }

  /// The same as objects.
  var removedObjects: [NSManagedObject] {
    guard isLoaded else { return removedList.objects }
    guard !committedObjects.isEmpty else { return [] }
    let now = Set(list.objects.map(ObjectIdentifier.init))
    return committedObjects.filter { !now.contains(ObjectIdentifier($0)) }
  }

  /// Whether anything differs from what the store has.
  var hasChanges: Bool {
    guard isLoaded else { return !addedList.isEmpty || !removedList.isEmpty }
    if list.count != committedObjects.count { return true }
    if list.objects.elementsEqual(committedObjects, by: ===) { return false }
    return isOrdered
      || Set(committedObjects.map(ObjectIdentifier.init))
        != Set(list.objects.map(ObjectIdentifier.init))
  }

  /// The current destinations.
  var contents: Contents {
    isLoaded
      ? Contents(isLoaded: true, objects: list.objects)
      : Contents(objects: addedList.objects, removed: removedList.objects)
  }

  // MARK: Loading and forgetting

  /// Takes the store's destinations, and applies the recorded changes to them.
  func load(_ stored: [NSManagedObject]) {
    changes &+= 1
    committedObjects = stored
    list = ObjectList(unique: stored)
    isLoaded = true
    for object in removedList.objects { list.remove(object, keepsOrder: isOrdered) }
    for object in addedList.objects { list.append(object) }
    (addedList, removedList) = (ObjectList(), ObjectList())
  }

  /// Takes the store's latest destinations, and reapplies the changes since the last save.
  func rebase(on stored: [NSManagedObject]) {
    guard isLoaded else { return load(stored) }
    changes &+= 1
    let merged = MemberMerge(from: committedObjects, to: list.objects, isOrdered: isOrdered)
      .applied(to: stored)
    committedObjects = stored
    list = ObjectList(unique: merged)
  }

  /// Removes an object that was given to another owner in this context before it was known to be among these
  /// destinations in the store. Since it was never removed from them here, this doesn't count as a change.
  func leaveOut(_ object: NSManagedObject) {
    guard list.contains(object) else { return }
    changes &+= 1
    list.remove(object, keepsOrder: isOrdered)
    committedObjects.removeAll { $0 === object }
  }

  /// Removes objects that were deleted from the store. This doesn't count as a local change.
  func drop(_ gone: Set<ObjectIdentifier>) {
    func isGone(_ object: NSManagedObject) -> Bool { gone.contains(ObjectIdentifier(object)) }
    func drop(_ list: inout ObjectList) {
      guard list.objects.contains(where: isGone) else { return }
      list = ObjectList(unique: list.objects.filter { !isGone($0) })
    }
    changes &+= 1
    drop(&list)
    drop(&addedList)
    drop(&removedList)
    if committedObjects.contains(where: isGone) { committedObjects.removeAll(where: isGone) }
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
    (list, addedList, removedList, committedObjects) = (
      ObjectList(), ObjectList(), ObjectList(), []
    )
    isLoaded = false
  }

  /// Forgets everything if one of the destinations has accessed to-many relationships too, which may lead back: the
  /// context, which could break the cycle, is about to be deallocated.
  func breakCircle() {
    let lists = [list.objects, committedObjects, addedList.objects, removedList.objects]
    if lists.contains(where: { $0.contains { $0.hasTouchedToManys } }) { forget() }
  }

  /// Makes the loaded destinations those of a new object, as the store no longer has any. What isn't loaded is still
  /// read later.
  func becomeNew() {
    guard isLoaded || hasChanges else { return }
    let present = isLoaded ? list : addedList
    forget()
    (list, isLoaded) = (present, true)
  }

  /// Makes the current destinations the stored ones.
  func commit() {
    if isLoaded {
      committedObjects = list.objects
    } else {
      (addedList, removedList) = (ObjectList(), ObjectList())
    }
  }

  // MARK: Members

  /// Whether the object is among the destinations, as far as these are known.
  func contains(_ object: NSManagedObject) -> Bool {
    isLoaded ? list.contains(object) : addedList.contains(object)
  }

  /// The position of an object; nil if it isn't among the destinations. These must be loaded.
  func position(of object: NSManagedObject) -> Int? { list.position(of: object) }

  /// Adds an object, at the end of an ordered relationship; returns whether it was new.
  @discardableResult
  func append(_ object: NSManagedObject) -> Bool {
    changes &+= 1
    if isLoaded { return list.append(object) }
    return removedList.remove(object) || addedList.append(object)
  }

  /// Adds an object that is known not to be among the destinations. These must be loaded.
  @inline(__always)
  func appendNew(_ object: NSManagedObject) {
    changes &+= 1
    list.appendNew(object)
  }

  /// Inserts an object at an index; returns whether it was new. The destinations must be loaded.
  func insert(_ object: NSManagedObject, at index: Int) -> Bool {
    changes &+= 1
    return list.insert(object, at: index)
  }

  /// Moves destinations, keeping their order, to an index that is counted without them. The destinations must be
  /// loaded.
  func move(_ indexes: IndexSet, to index: Int) {
    changes &+= 1
    list.move(indexes, to: index)
  }

  /// Removes an object; returns whether that changed anything.
  @discardableResult
  func remove(_ object: NSManagedObject) -> Bool {
    changes &+= 1
    if isLoaded { return list.remove(object, keepsOrder: isOrdered) }
    return addedList.remove(object) || removedList.append(object)
  }

  /// Replaces all destinations. The objects must be distinct, and are in the new order.
  func replace(with objects: [NSManagedObject]) {
    changes &+= 1
    list = ObjectList(unique: objects)
  }
}
