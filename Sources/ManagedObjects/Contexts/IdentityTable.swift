/// The objects of one hierarchy in one store, by their keys.
///
/// An open table: keys and objects lie in two arrays, and whoever finds its place taken goes on to
/// another. Sixteen keys in a row have places in a row, as keys mostly come; as such runs meet as a
/// whole, the way goes on past the run, in steps of 17, which lead everywhere in the end. The table keeps
/// its objects; it counts references by hand, for searching must not.
final class IdentityTable {
  /// Whose objects a table has: the store, nil for none yet, and the hierarchy.
  struct Place: Hashable {
    let store: ObjectIdentifier?
    let root: ObjectIdentifier

    @inline(__always)
    init(_ store: StoreReference?, _ layout: EntityLayout) {
      self.store = store.map { ObjectIdentifier($0) }
      root = layout.rootID
    }
  }

  let place: Place
  // It keeps what its place names.
  private let store: StoreReference?
  private let root: EntityLayout
  private(set) var count = 0
  /// How often objects came, went or moved.
  private var changes = 0

  private typealias Reference = Unmanaged<NSManagedObject>

  private var mask: Int
  private var keys: UnsafeMutablePointer<Int64>
  private var objects: UnsafeMutablePointer<Reference?>

  private static let smallest = 16
  private static let step = 17
  /// What the step is to be multiplied by to give 1: divides by it.
  private static let stepInverse = Int(bitPattern: 0xF0F0_F0F0_F0F0_F0F1)

  init(store: StoreReference?, root: EntityLayout) {
    place = Place(store, root)
    self.store = store
    self.root = root
    mask = Self.smallest - 1
    (keys, objects) = Self.memory(Self.smallest)
  }

  deinit {
    for index in 0...mask { objects[index]?.release() }
    keys.deallocate()
    objects.deallocate()
  }

  private static func memory(
    _ size: Int
  ) -> (UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Reference?>) {
    let keys = UnsafeMutablePointer<Int64>.allocate(capacity: size)
    let objects = UnsafeMutablePointer<Reference?>.allocate(capacity: size)
    // Keys are looked at only where there is an object.
    objects.initialize(repeating: nil, count: size)
    return (keys, objects)
  }

  @inline(__always)
  private func place(of key: Int64) -> Int {
    let bits = UInt64(bitPattern: key)
    let mixed = (bits >> 4) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: ((mixed >> 28) << 4) | (bits & 15)) & mask
  }

  /// Where a key is, or the free place where it would be.
  @inline(__always)
  private func find(_ key: Int64) -> Int {
    var index = place(of: key)
    while objects[index] != nil, keys[index] != key { index = next(after: index) }
    return index
  }

  @inline(__always)
  private func next(after index: Int) -> Int { (index &+ Self.step) & mask }

  /// How many steps lead from one place to another.
  @inline(__always)
  private func steps(from start: Int, to end: Int) -> Int {
    ((end &- start) &* Self.stepInverse) & mask
  }

  /// Where an object is, or is to be entered.
  struct Spot {
    fileprivate let index: Int
    fileprivate let changes: Int
  }

  /// The object of a key, or else where it is to be entered.
  @inline(__always)
  func look(for key: Int64) -> (known: Unmanaged<NSManagedObject>?, spot: Spot) {
    let index = find(key)
    return (objects[index], Spot(index: index, changes: changes))
  }

  /// Enters an object that was just made, whose only reference becomes the table's.
  @inline(__always)
  func enterNew(
    _ object: __owned NSManagedObject, _ key: Int64, at spot: Spot
  ) -> Unmanaged<NSManagedObject> {
    let reference = Unmanaged.passUnretained(object)
    guard changes == spot.changes, hasRoom else {
      enter(object, key)
      return reference
    }
    keys[spot.index] = key
    // The same word either way: what moves in here isn't counted a second time.
    UnsafeMutableRawPointer(objects + spot.index)
      .assumingMemoryBound(to: NSManagedObject.self).initialize(to: object)
    count += 1
    changes &+= 1
    return reference
  }

  subscript(key: Int64) -> NSManagedObject? {
    @inline(__always) get { objects[find(key)]?.takeUnretainedValue() }
    set {
      if let newValue { enter(newValue, key) } else { remove(key) }
    }
  }

  /// Enters an object, in the place of the one that had the key.
  @inline(__always)
  func enter(_ object: NSManagedObject, _ key: Int64) { enter(.passRetained(object), key) }

  /// Enters an object that another table lets go of by ``abandonAll()``: its count becomes this one's.
  @inline(__always)
  func adopt(_ object: NSManagedObject, _ key: Int64) {
    enter(.passUnretained(object), key)
  }

  @inline(__always)
  private func enter(_ object: Reference, _ key: Int64) {
    if !hasRoom { resize(atLeast: (mask + 1) * 2) }
    changes &+= 1
    let index = find(key)
    let before = objects[index]
    keys[index] = key
    objects[index] = object
    if let before { before.release() } else { count += 1 }
  }

  /// Whether one more leaves a third of the places free.
  @inline(__always)
  private var hasRoom: Bool { (count + 1) * 3 <= (mask + 1) * 2 }

  /// How many places so many objects want: a third of them stays free.
  private func roomy(_ count: Int) -> Int { count * 3 / 2 + 2 }

  /// Makes room for so many more.
  func reserve(_ more: Int) {
    let needed = roomy(count + more)
    if needed > mask + 1 { resize(atLeast: needed) }
  }

  private func remove(_ key: Int64) {
    var hole = find(key)
    guard let removed = objects[hole] else { return }
    objects[hole] = nil
    count -= 1
    changes &+= 1
    // Whoever had to go past the hole moves into it.
    var index = next(after: hole)
    while let object = objects[index] {
      if steps(from: place(of: keys[index]), to: index) >= steps(from: hole, to: index) {
        (keys[hole], objects[hole]) = (keys[index], object)
        objects[index] = nil
        hole = index
      }
      index = next(after: index)
    }
    removed.release()
  }

  private func resize(atLeast wanted: Int) {
    var size = Self.smallest
    while size < wanted { size *= 2 }
    let (oldKeys, oldObjects, oldSize) = (keys, objects, mask + 1)
    (keys, objects) = Self.memory(size)
    mask = size - 1
    changes &+= 1
    for index in 0..<oldSize {
      guard let object = oldObjects[index] else { continue }
      let place = find(oldKeys[index])
      (keys[place], objects[place]) = (oldKeys[index], object)
    }
    oldKeys.deallocate()
    oldObjects.deallocate()
  }

  /// Hands every object to `body`, which mustn't change the table.
  @inline(__always)
  func forEach(_ body: (NSManagedObject) -> Void) {
    for index in 0...mask { objects[index]?._withUnsafeGuaranteedRef { body($0) } }
  }

  /// Moves the objects that `mayGo` allows and nobody else holds into `gone`.
  func sweep(_ mayGo: (NSManagedObject) -> Bool, into gone: inout [NSManagedObject]) {
    let before = gone.count
    for index in 0...mask {
      guard let object = objects[index], isOnlyHere(index),
        object._withUnsafeGuaranteedRef({ mayGo($0) })
      else { continue }
      objects[index] = nil
      gone.append(object.takeRetainedValue())
    }
    guard gone.count > before else { return }
    count -= gone.count - before
    // Holes would end searches too early: the rest are placed anew.
    resize(atLeast: roomy(count))
  }

  /// Whether the table alone holds the object at a place.
  @inline(__always)
  private func isOnlyHere(_ index: Int) -> Bool {
    UnsafeMutableRawPointer(objects + index)
      .withMemoryRebound(to: NSManagedObject.self, capacity: 1) {
        isKnownUniquelyReferenced(&$0.pointee)
      }
  }

  /// Calls `body` for every object and lets go of those that somebody else holds too: none of them goes
  /// yet. The table is good for nothing afterwards but to be emptied, or released.
  func dismiss(_ body: (NSManagedObject) -> Void) {
    for index in 0...mask {
      guard let object = objects[index] else { continue }
      object._withUnsafeGuaranteedRef { body($0) }
      guard !isOnlyHere(index) else { continue }
      objects[index] = nil
      object.release()
    }
  }

  /// Forgets the objects without letting go of them: other tables have adopted them all.
  func abandonAll() {
    keys.deallocate()
    objects.deallocate()
    mask = Self.smallest - 1
    count = 0
    changes &+= 1
    (keys, objects) = Self.memory(Self.smallest)
  }
}
