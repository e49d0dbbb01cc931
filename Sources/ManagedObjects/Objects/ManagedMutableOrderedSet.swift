import Foundation
import ManagedModel

extension NSManagedObject {
  /// An ordered set that stands for the destinations of an ordered to-many relationship: changing it
  /// changes the relationship and its inverse.
  public final func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    let property = toManyProperty(key, "mutableOrderedSetValueForKey:")
    precondition(
      property.isOrdered,
      "-[NSManagedObject mutableOrderedSetValueForKey:]: '\(layout.name).\(key)' is not ordered")
    return ManagedMutableOrderedSet(owner: self, property: property)
  }

  /// Puts a destination into an ordered to-many relationship, and sets its inverse.
  public final func insertObject(
    _ object: NSManagedObject, intoRelationshipNamed key: String, at index: Int
  ) {
    mutableOrderedSetValue(forKey: key).insert(object, at: index)
  }
}

/// The set that `mutableOrderedSetValue(forKey:)` gives.
///
/// Much of what an ordered set answers can't be overridden off Apple's systems, and comes from the
/// superclass's own storage. So that holds a copy, renewed with every change made here and whenever
/// the count is asked for.
final class ManagedMutableOrderedSet: NSMutableOrderedSet {
  private let owner: NSManagedObject
  private let property: PropertyLayout
  private var mirror: [NSManagedObject] = []
  private var isRenewing = false

  init(owner: NSManagedObject, property: PropertyLayout) {
    self.owner = owner
    self.property = property
    super.init(capacity: 0)
    renew()
  }

  override init(capacity: Int) {
    preconditionFailure(
      "a relationship's ordered set is made by mutableOrderedSetValue(forKey:) only")
  }

  required convenience init(arrayLiteral elements: Any...) {
    preconditionFailure(
      "a relationship's ordered set is made by mutableOrderedSetValue(forKey:) only")
  }

  required init?(coder: NSCoder) { nil }

  /// Takes the relationship's destinations into the superclass's storage.
  private func renew() {
    guard !isRenewing else { return }
    let now = owner.loadedMembers(property).objects
    guard !mirror.elementsEqual(now, by: ===) else { return }
    isRenewing = true
    for index in mirror.indices.reversed() { super.removeObject(at: index) }
    for (index, object) in now.enumerated() { super.insert(object, at: index) }
    mirror = now
    isRenewing = false
  }

  private func change(_ body: (inout [NSManagedObject]) -> Void) {
    renew()
    var objects = mirror
    body(&objects)
    owner.setMembers(objects, property)
    renew()
  }

  private func managed(_ object: Any, _ selector: String) -> NSManagedObject {
    guard let object = object as? NSManagedObject else {
      preconditionFailure(
        "-[NSMutableOrderedSet \(selector)]: a relationship takes managed objects only")
    }
    return object
  }

  override var count: Int {
    renew()
    return super.count
  }

  override func insert(_ object: Any, at index: Int) {
    let object = managed(object, "insertObject:atIndex:")
    change { objects in
      if !objects.contains(where: { $0 === object }) { objects.insert(object, at: index) }
    }
  }

  override func removeObject(at index: Int) { change { $0.remove(at: index) } }

  override func replaceObject(at index: Int, with object: Any) {
    let object = managed(object, "replaceObjectAtIndex:withObject:")
    change { $0[index] = object }
  }

  override func add(_ object: Any) { insert(object, at: count) }

  override func remove(_ object: Any) {
    guard let object = object as? NSManagedObject else { return }
    change { $0.removeAll { $0 === object } }
  }

  override func removeAllObjects() { change { $0 = [] } }

  override func exchangeObject(at index1: Int, withObjectAt index2: Int) {
    change { $0.swapAt(index1, index2) }
  }

  override func moveObjects(at indexes: IndexSet, to index: Int) {
    change { objects in
      let moved = indexes.map { objects[$0] }
      objects = objects.enumerated().filter { !indexes.contains($0.offset) }.map(\.element)
      objects.insert(contentsOf: moved, at: index)
    }
  }

  override func sort(
    options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
  ) {
    change { objects in
      objects = NSArray(array: objects).sortedArray(options: opts, usingComparator: cmptr)
        .compactMap { $0 as? NSManagedObject }
    }
  }
}
