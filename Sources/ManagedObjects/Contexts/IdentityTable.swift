/// The objects of one hierarchy in one store, by their keys.
///
/// An open table: keys and objects lie in two arrays, and whoever finds its place taken goes on to the
/// next. Sixteen keys in a row have places in a row, as keys mostly come. The table keeps its objects;
/// it counts references by hand, for searching must not.
final class IdentityTable {
  let store: StoreReference?
  let root: EntityLayout
  private(set) var count = 0

  private typealias Reference = Unmanaged<NSManagedObject>

  private var mask: Int
  private var keys: UnsafeMutablePointer<Int64>
  private var objects: UnsafeMutablePointer<Reference?>

  private static let smallest = 16

  init(store: StoreReference?, root: EntityLayout) {
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
    keys.initialize(repeating: 0, count: size)
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
    while objects[index] != nil, keys[index] != key { index = (index + 1) & mask }
    return index
  }

  subscript(key: Int64) -> NSManagedObject? {
    @inline(__always) get { objects[find(key)]?.takeUnretainedValue() }
    set {
      if let newValue { enter(newValue, key) } else { remove(key) }
    }
  }

  /// Enters an object, in the place of the one that had the key.
  @inline(__always)
  func enter(_ object: NSManagedObject, _ key: Int64) {
    enterOwned(.passRetained(object), key)
  }

  /// The same with a reference that becomes the table's.
  @inline(__always)
  func enterOwned(_ object: Unmanaged<NSManagedObject>, _ key: Int64) {
    if (count + 1) * 3 > (mask + 1) * 2 { resize(atLeast: (mask + 1) * 2) }
    let index = find(key)
    let before = objects[index]
    keys[index] = key
    objects[index] = object
    if let before { before.release() } else { count += 1 }
  }

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
    // Whoever had to go past the hole moves into it.
    var index = (hole + 1) & mask
    while let object = objects[index] {
      if (index &- place(of: keys[index])) & mask >= (index &- hole) & mask {
        (keys[hole], objects[hole]) = (keys[index], object)
        objects[index] = nil
        hole = index
      }
      index = (index + 1) & mask
    }
    removed.release()
  }

  private func resize(atLeast wanted: Int) {
    var size = Self.smallest
    while size < wanted { size *= 2 }
    let (oldKeys, oldObjects, oldSize) = (keys, objects, mask + 1)
    (keys, objects) = Self.memory(size)
    mask = size - 1
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

  func removeAll() {
    let (oldObjects, oldKeys, oldSize) = (objects, keys, mask + 1)
    mask = Self.smallest - 1
    count = 0
    (keys, objects) = Self.memory(Self.smallest)
    for index in 0..<oldSize { oldObjects[index]?.release() }
    oldKeys.deallocate()
    oldObjects.deallocate()
  }
}
