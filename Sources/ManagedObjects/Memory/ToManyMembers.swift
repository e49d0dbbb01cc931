import Foundation

/// The destinations of a to-many relationship of one object.
///
/// Until somebody reads them they aren't loaded; what is added and removed meanwhile is remembered
/// and applied when they are.
final class ToManyMembers {
  /// Whether the destinations have an order of the program's.
  let isOrdered: Bool
  /// Whether the destinations are here.
  private(set) var isLoaded: Bool
  /// The destinations as the store has them, once loaded.
  var committed: [NSManagedObjectID] { committedObjects.map(\.objectID) }

  /// The same as objects; an array that shares its memory with the present ones until they change.
  private(set) var committedObjects: [NSManagedObject] = []
  /// Whether destinations are being loaded for many objects at once, and those that came.
  private(set) var isArriving = false
  @exclusivity(unchecked) private var arriving: [NSManagedObject] = []

  /// How often the destinations changed, loading and forgetting included.
  private(set) var changes = 0
  @exclusivity(unchecked) private var list = ObjectList()
  @exclusivity(unchecked) private var addedList = ObjectList()
  private var removedList = ObjectList()

  /// The destinations of a new object (none, loaded), or of one in the store (not loaded).
  init(isLoaded: Bool, isOrdered: Bool) {
    self.isLoaded = isLoaded
    self.isOrdered = isOrdered
  }

  /// The destinations, once loaded; in the relationship's order if it has one.
  var objects: [NSManagedObject] { list.objects }
  /// How many destinations there are, once loaded.
  var count: Int { list.count }

  /// What was added since the last save.
  var added: [NSManagedObject] {
    guard isLoaded else { return addedList.objects }
    guard !committedObjects.isEmpty else { return list.objects }
    let before = Set(committedObjects.map(ObjectIdentifier.init))
    return list.objects.filter { !before.contains(ObjectIdentifier($0)) }
  }

  /// What was taken out since the last save.
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

  /// The destinations now.
  var contents: Contents {
    isLoaded
      ? Contents(isLoaded: true, objects: list.objects)
      : Contents(objects: addedList.objects, removed: removedList.objects)
  }

  // MARK: Loading and forgetting

  /// Takes the store's destinations, and applies what was changed meanwhile.
  func load(_ stored: [NSManagedObject]) {
    changes &+= 1
    committedObjects = stored
    list = ObjectList(unique: stored)
    isLoaded = true
    for object in removedList.objects { list.remove(object, keepsOrder: isOrdered) }
    for object in addedList.objects { list.append(object) }
    (addedList, removedList) = (ObjectList(), ObjectList())
  }

  /// Takes what the store has by now, and applies what was changed since the last save.
  func rebase(on stored: [NSManagedObject]) {
    guard isLoaded else { return load(stored) }
    changes &+= 1
    let merged = MemberMerge(from: committedObjects, to: list.objects, isOrdered: isOrdered)
      .applied(to: stored)
    committedObjects = stored
    list = ObjectList(unique: merged)
  }

  /// Takes an object out that was given to another owner here, before it was known that the store has it among
  /// these: nobody has taken it out of them, so that is no change of theirs.
  func leaveOut(_ object: NSManagedObject) {
    guard list.contains(object) else { return }
    changes &+= 1
    list.remove(object, keepsOrder: isOrdered)
    committedObjects.removeAll { $0 === object }
  }

  /// Takes objects out that are gone from the store: nobody here has changed anything.
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

  /// Makes ready for ``arrive(_:)``; false when the destinations are here.
  ///
  /// - Parameter again: whether destinations that are here are to be read once more.
  func beginLoading(again: Bool = false) -> Bool {
    guard again || !isLoaded else { return false }
    arriving = []
    isArriving = true
    return true
  }

  /// Takes one of the store's destinations.
  @inline(__always)
  func arrive(_ object: NSManagedObject) { arriving.append(object) }

  /// Gives what has arrived, once; nothing else has happened.
  func endLoading() -> [NSManagedObject]? {
    guard isArriving else { return nil }
    let stored = arriving
    (arriving, isArriving) = ([], false)
    return stored
  }

  /// Goes back to what the store has, to be loaded when next read.
  func forget() {
    changes &+= 1
    (list, addedList, removedList, committedObjects) = (
      ObjectList(), ObjectList(), ObjectList(), []
    )
    isLoaded = false
  }

  /// Forgets everything if one of the objects has such relationships at hand too, which may lead back:
  /// their owners' context, which could take the circle apart, is about to go.
  func breakCircle() {
    let lists = [list.objects, committedObjects, addedList.objects, removedList.objects]
    if lists.contains(where: { $0.contains { $0.hasTouchedToManys } }) { forget() }
  }

  /// The store has nothing any more of what is here. What isn't here stays to be read.
  func becomeNew() {
    guard isLoaded || hasChanges else { return }
    let present = isLoaded ? list : addedList
    forget()
    (list, isLoaded) = (present, true)
  }

  /// What is here is now what the store has.
  func commit() {
    if isLoaded {
      committedObjects = list.objects
    } else {
      (addedList, removedList) = (ObjectList(), ObjectList())
    }
  }

  // MARK: Members

  /// Whether the object is among the destinations, as far as they are known.
  func contains(_ object: NSManagedObject) -> Bool {
    isLoaded ? list.contains(object) : addedList.contains(object)
  }

  /// Where an object is among the destinations, which are loaded; nil if it isn't.
  func position(of object: NSManagedObject) -> Int? { list.position(of: object) }

  /// Adds an object, at the end of an ordered relationship; tells whether it was new.
  @discardableResult
  func append(_ object: NSManagedObject) -> Bool {
    changes &+= 1
    if isLoaded { return list.append(object) }
    return removedList.remove(object) || addedList.append(object)
  }

  /// Adds an object that is known not to be among the destinations, which are loaded.
  @inline(__always)
  func appendNew(_ object: NSManagedObject) {
    changes &+= 1
    list.appendNew(object)
  }

  /// Puts an object at a place among the destinations, which are loaded; tells whether it was new.
  func insert(_ object: NSManagedObject, at index: Int) -> Bool {
    changes &+= 1
    return list.insert(object, at: index)
  }

  /// Moves destinations, which are loaded, in their order, to a place that is counted without them.
  func move(_ indexes: IndexSet, to index: Int) {
    changes &+= 1
    list.move(indexes, to: index)
  }

  /// Takes an object out; tells whether that changed anything.
  @discardableResult
  func remove(_ object: NSManagedObject) -> Bool {
    changes &+= 1
    if isLoaded { return list.remove(object, keepsOrder: isOrdered) }
    return addedList.remove(object) || removedList.append(object)
  }

  /// Takes all destinations, different ones, from a list in the new order.
  func replace(with objects: [NSManagedObject]) {
    changes &+= 1
    list = ObjectList(unique: objects)
  }
}
