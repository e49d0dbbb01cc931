/// The parts of an object that refer to shared memory: its rows of values, its store, its identity and its context.
///
/// Swift's reference counting isn't used here, because cheaper invariants hold for nearly every object:
/// * The **current row** lies in a ``RowBlock`` shared by many objects. It is the store's row until the first change
///   copies it into a row of the object's own.
/// * The **stored row** is what the store has. Other objects may read it too; it never changes while any of them
///   does.
/// * The **store** is kept alive by the stored row's block, or by the context, or, failing both, by this storage.
/// * The **context** isn't retained: it clears the reference when it releases the object.
///
/// ``isConsistent`` states the same in code; debug builds check it after every change.
struct ObjectStorage: ~Copyable {
  typealias Row = UnsafeMutablePointer<StoredValue>

  /// The values by slot; nil for a fault without a cached row.
  private(set) var current: Row?
  /// The values in the store; nil for an object that was never saved. The same as the current row while the object
  /// has no changes.
  private(set) var stored: Row?
  /// The block of the current row, if the object owns that row.
  private var ownBlock: RowBlock?
  /// The block of the stored row.
  private var storedBlock: RowBlock?
  /// The object's store; nil before the first save.
  private(set) var store: Unmanaged<StoreReference>?
  /// The context the object is registered with.
  private(set) var context: Unmanaged<NSManagedObjectContext>?
  /// The row's key, or the number of a temporary identity.
  private(set) var key: Int64
  /// The number of times the row was saved.
  var version: Int64 = 0
  /// Whether this storage retains the store.
  private var keepsStore = false
  /// The object's state flags.
  var state: ObjectState
  /// The accessed to-many relationships, by slot; nil if there are none. An empty array instead would make creating
  /// and destroying every object slower.
  var touchedMembers: [ToManyMembers?]?
  /// Rarely needed state.
  var scratch: NSManagedObject.Scratch?
  /// The identity, created on demand: it is never needed for most objects.
  let identity = AtomicReference<NSManagedObjectID>()

  /// Creates the storage of a new object.
  init(newWithKey key: Int64) {
    self.key = key
    state = []
  }

  /// Creates the storage of a fault.
  @inline(__always)
  init(_ handoff: ObjectHandoff) {
    store = handoff.store
    context = handoff.context
    key = handoff.key
    state = .fault
  }

  deinit { if keepsStore { store?.release() } }

  // MARK: Invariants

  /// Whether the invariants stated above hold.
  private var isConsistent: Bool {
    if let ownBlock {
      guard let current, ownBlock.contains(current) else { return false }
    } else {
      guard current == nil || current == stored else { return false }
    }
    if let stored {
      guard let storedBlock, storedBlock.contains(stored) else { return false }
    } else {
      guard storedBlock == nil else { return false }
    }
    guard store != nil || !keepsStore else { return false }
    return store == nil || keepsStore || context != nil || storedBlock?.keeps(store) == true
  }

  @inline(__always)
  private func check() { assert(isConsistent, "an NSManagedObject's storage is inconsistent") }

  // MARK: Rows

  /// Whether the object owns its current row.
  @inline(__always)
  var hasOwnRow: Bool { ownBlock != nil }

  /// Sets the first row of a new object.
  @inline(__always)
  mutating func begin(with row: Row, in block: RowBlock) {
    (current, ownBlock) = (row, block)
    check()
  }

  /// Makes the current row mutable, as a copy of the existing one or an empty row.
  @inline(__always)
  mutating func ownRow(_ width: Int, from rows: @autoclosure () -> RowAllocator) -> Row? {
    if ownBlock == nil { makeOwnRow(width, rows()) }
    return current
  }

  @inline(never)
  private mutating func makeOwnRow(_ width: Int, _ rows: RowAllocator) {
    let row = rows.allocateRow(width)
    if let current {
      row.initialize(from: current, count: width)
    } else {
      row.initialize(repeating: .null, count: width)
    }
    (current, ownBlock) = (row, rows.block)
    check()
  }

  /// Takes a row read from the store, in a fault that was made for it.
  @inline(__always)
  mutating func takeFirst(_ row: Row, in block: RowBlock) {
    if !block.keeps(store) { keepStore() }
    (stored, current, storedBlock) = (row, row, block)
    check()
  }

  /// Takes a row read from the store.
  @inline(__always)
  mutating func take(_ row: Row, in block: RowBlock) {
    keepStore()
    (stored, current, storedBlock) = (row, row, block)
    if ownBlock != nil { ownBlock = nil }
    check()
  }

  /// Takes a new stored row; the current values stay.
  mutating func takeStored(_ row: Row, in block: RowBlock) {
    if ownBlock == nil, current != nil { ownBlock = storedBlock }
    keepStore()
    (stored, storedBlock) = (row, block)
    check()
  }

  /// Drops the stored row, which the store no longer has; the current values stay.
  mutating func dropStored() {
    if ownBlock == nil, current != nil { ownBlock = storedBlock }
    keepStore()
    (stored, storedBlock) = (nil, nil)
    check()
  }

  /// Makes the current row the stored one.
  @inline(__always)
  mutating func commit() {
    keepStore()
    stored = current
    storedBlock = ownBlock.take()
    check()
  }

  /// Makes the stored row current again.
  mutating func revert() {
    (current, ownBlock) = (stored, nil)
    check()
  }

  /// Drops the current row, but not the stored one.
  mutating func dropCurrent() {
    (current, ownBlock) = (nil, nil)
    check()
  }

  /// Drops both rows.
  mutating func dropRows() {
    keepStore()
    (current, stored, ownBlock, storedBlock) = (nil, nil, nil, nil)
    check()
  }

  // MARK: The store

  /// Retains the store from now on.
  ///
  /// Most objects needn't: the block of an object's first stored row keeps the store alive, and without a row the
  /// context does. All others call this.
  @inline(__always)
  mutating func keepStore() {
    guard !keepsStore, let store else { return }
    _ = store.retain()
    keepsStore = true
  }

  /// Sets the store and key of an object that was never saved.
  mutating func enter(_ store: StoreReference, key: Int64) {
    self.store = .passRetained(store)
    keepsStore = true
    self.key = key
    check()
  }

  // MARK: The context

  /// Whether the object has lost its context and has no stored row, so nothing else keeps alive what it needs.
  var isOnItsOwn: Bool { context == nil && storedBlock == nil }

  /// Joins a context, or leaves the present one.
  mutating func setContext(_ new: NSManagedObjectContext?) {
    if new == nil, storedBlock == nil { keepStore() }
    context = new.map { .passUnretained($0) }
    check()
  }
}
