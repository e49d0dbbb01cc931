import DataModels
import Foundation

extension NSManagedObject {
  /// An ordered set that proxies the destinations of an ordered to-many relationship: changing it changes the
  /// relationship and its inverse.
  public final func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    let property = orderedProperty(key, "mutableOrderedSetValueForKey:")
    guard let kept = scratch?.orderedSets[property.slot] else {
      return ManagedMutableOrderedSet(owner: self, property: property)
    }
    kept.renew()
    return kept
  }

  /// The same for the relationship at the end of a key path through to-one relationships. A path on which there is no
  /// object is a programmer error and traps.
  public final func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
    let (owner, key) = owner(atEndOf: keyPath, "mutableOrderedSetValueForKeyPath:")
    return owner.mutableOrderedSetValue(forKey: key)
  }

  /// Inserts a destination into an ordered to-many relationship, and sets its inverse.
  public final func insertObject(
    _ object: NSManagedObject, intoRelationshipNamed key: String, at index: Int
  ) {
    insert(object, at: index, in: orderedProperty(key, "insertObject:intoRelationshipNamed:at:"))
  }

  private final func orderedProperty(_ key: String, _ selector: String) -> PropertyLayout {
    let property = toManyProperty(key, selector)
    precondition(
      property.isOrdered,
      "-[NSManagedObject \(selector)]: '\(layout.name).\(key)' is not ordered")
    return property
  }

  /// Reuses the same set for a relationship until the event ends: creating a new one for each change would take time
  /// proportional to the relationship's length.
  final func keep(_ set: ManagedMutableOrderedSet, for property: PropertyLayout) {
    // The object and the set retain each other until the event ends, so there must be a context to end it.
    guard context != nil, state.contains(.changedInEvent) else { return }
    let scratch = scratch ?? Scratch()
    guard scratch.orderedSets[property.slot] == nil else { return }
    scratch.orderedSets[property.slot] = set
    self.scratch = scratch
  }
}

/// The set returned by `mutableOrderedSetValue(forKey:)`.
///
/// Outside Apple's systems, many `NSOrderedSet` methods can't be overridden and read the superclass's own storage.
/// That storage therefore holds a copy of the destinations: changes made through this set update it, and it is
/// renewed on access after other changes.
final class ManagedMutableOrderedSet: NSMutableOrderedSet {
  private let owner: NSManagedObject
  private let property: PropertyLayout
  /// The members that the storage is a copy of, and their change count at that time.
  private var copied: (members: ToManyMembers, changes: Int)?
  private var isCopying = false

  init(owner: NSManagedObject, property: PropertyLayout) {
    self.owner = owner
    self.property = property
    super.init(capacity: 0)
    renew()
  }

  override init(capacity: Int) {
    preconditionFailure(
      "a relationship's ordered set can only be created by mutableOrderedSetValue(forKey:)")
  }

  required convenience init(arrayLiteral elements: Any...) {
    preconditionFailure(
      "a relationship's ordered set can only be created by mutableOrderedSetValue(forKey:)")
  }

  required init?(coder: NSCoder) { nil }

  private var members: ToManyMembers { owner.shownMembers(property) }

  // MARK: The copy

  /// Copies the relationship's destinations into the superclass's storage.
  fileprivate func renew() {
    guard !isCopying else { return }
    let members = members
    if let copied, copied.members === members, copied.changes == members.changes { return }
    isCopying = true
    for index in (0..<super.count).reversed() { super.removeObject(at: index) }
    for (index, object) in members.objects.enumerated() { super.insert(object, at: index) }
    copied = (members, members.changes)
    isCopying = false
  }

  /// Changes the relationship by removing objects at some positions and inserting others, and updates the copy
  /// accordingly.
  ///
  /// - Parameter steps: the number of changes that `body` makes.
  private func change(
    taking: IndexSet = [], putting: (objects: [NSManagedObject], index: Int)? = nil,
    steps: Int = 1, _ body: () -> Void
  ) {
    renew()
    let (members, before) = (members, members.changes)
    body()
    owner.keep(self, for: property)
    // Maintaining inverses may have made further changes.
    guard members === self.members, members.changes == before &+ steps else { return renew() }
    isCopying = true
    for index in taking.reversed() { super.removeObject(at: index) }
    if let putting {
      for (offset, object) in putting.objects.enumerated() {
        super.insert(object, at: putting.index + offset)
      }
    }
    copied = (members, members.changes)
    isCopying = false
  }

  /// Replaces the relationship's contents.
  private func changeAll(_ body: (inout [NSManagedObject]) -> Void) {
    var objects = members.objects
    body(&objects)
    owner.setMembers(objects, property)
    owner.keep(self, for: property)
    renew()
  }

  private func managed(_ object: Any, _ selector: String) -> NSManagedObject {
    guard let object = object as? NSManagedObject else {
      preconditionFailure(
        "-[NSMutableOrderedSet \(selector)]: a relationship accepts only managed objects")
    }
    return object
  }

  // MARK: NSMutableOrderedSet

  override var count: Int {
    renew()
    return super.count
  }

  // Foundation reads its own storage in these. Where it can't be kept from that, as in `for` loops, the copy is as new as the
  // last call of one that can be overridden.

  override func object(at idx: Int) -> Any {
    renew()
    return super.object(at: idx)
  }

  override func contains(_ object: Any) -> Bool {
    guard !isCopying else { return super.contains(object) }
    return (object as? NSManagedObject).map(members.contains) ?? false
  }

  override func index(of object: Any) -> Int {
    guard !isCopying else { return super.index(of: object) }
    return (object as? NSManagedObject).flatMap(members.position) ?? NSNotFound
  }

  override func enumerateObjects(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
    renew()
    super.enumerateObjects(block)
  }

  override func enumerateObjects(
    options opts: NSEnumerationOptions = [],
    using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
  ) {
    renew()
    super.enumerateObjects(options: opts, using: block)
  }

  override func insert(_ object: Any, at index: Int) {
    let object = managed(object, "insertObject:atIndex:")
    guard !members.contains(object) else { return }
    change(putting: ([object], index)) { owner.insert(object, at: index, in: property) }
  }

  override func removeObject(at index: Int) {
    change(taking: [index]) { owner.removeMember(at: index, of: property) }
  }

  override func replaceObject(at index: Int, with object: Any) {
    let object = managed(object, "replaceObjectAtIndex:withObject:")
    guard !members.contains(object) else { return changeAll { $0[index] = object } }
    change(taking: [index], putting: ([object], index), steps: 2) {
      owner.removeMember(at: index, of: property)
      owner.insert(object, at: index, in: property)
    }
  }

  override func add(_ object: Any) { insert(object, at: count) }

  override func remove(_ object: Any) {
    guard let object = object as? NSManagedObject, let index = members.position(of: object) else {
      return
    }
    removeObject(at: index)
  }

  override func removeAllObjects() { changeAll { $0 = [] } }

  override func exchangeObject(at index1: Int, withObjectAt index2: Int) {
    guard index1 != index2 else { return }
    let (low, high) = index1 < index2 ? (index1, index2) : (index2, index1)
    moveObjects(at: [low], to: high)
    // The object at the higher index has moved down by one.
    moveObjects(at: [high - 1], to: low)
  }

  override func moveObjects(at indexes: IndexSet, to index: Int) {
    guard let last = indexes.last, last < members.count else {
      return owner.moveMembers(at: indexes, to: index, of: property)
    }
    let moved = indexes.map { members.objects[$0] }
    change(taking: indexes, putting: (moved, index)) {
      owner.moveMembers(at: indexes, to: index, of: property)
    }
  }

  // Foundation implements these on its own storage, which is only a copy here.

  override func addObjects(from array: [Any]) { for object in array { add(object) } }

  override func intersect(_ other: NSOrderedSet) { keep(other.array, true) }

  override func intersectSet(_ other: Set<AnyHashable>) { keep(Array(other), true) }

  override func minus(_ other: NSOrderedSet) { keep(other.array, false) }

  override func minusSet(_ other: Set<AnyHashable>) { keep(Array(other), false) }

  /// Keeps the members that are among some objects, or those that aren't.
  private func keep(_ others: [Any], _ isAmong: Bool) {
    let others = Set(others.compactMap { ($0 as? NSManagedObject).map(ObjectIdentifier.init) })
    changeAll { objects in
      objects.removeAll { others.contains(ObjectIdentifier($0)) != isAmong }
    }
  }

  override func sort(comparator cmptr: (Any, Any) -> ComparisonResult) {
    sort(options: [], usingComparator: cmptr)
  }

  override func sort(
    options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
  ) {
    sortRange(NSRange(location: 0, length: count), options: opts, usingComparator: cmptr)
  }

  override func sortRange(
    _ range: NSRange, options opts: NSSortOptions = [],
    usingComparator cmptr: (Any, Any) -> ComparisonResult
  ) {
    guard let places = Range(range), places.upperBound <= count else {
      preconditionFailure(
        "-[NSMutableOrderedSet sortRange:options:usingComparator:]: \(range) is out of bounds")
    }
    arrange(places) { $0.sortedArray(options: opts, usingComparator: cmptr) }
  }

  override func sort(using sortDescriptors: [NSSortDescriptor]) {
    arrange(0..<count) { $0.sortedArray(using: sortDescriptors) }
  }

  /// Reorders the objects in a range of positions.
  private func arrange(_ places: Range<Int>, _ sorted: (NSArray) -> [Any]) {
    changeAll { objects in
      let arranged = sorted(NSArray(array: Array(objects[places])))
      objects.replaceSubrange(places, with: arranged.compactMap { $0 as? NSManagedObject })
    }
  }
}
