/// What one object holds of memory that it shares with others: its rows of values, its store, its identity and its
/// context.
///
/// Nothing here is counted as Swift would count it, for what is true of nearly every object is cheaper:
/// * The **current row** lies in ``RowBlock``s that many objects share. It is the row of the store, until the first
///   change copies it into a row of the object's own.
/// * The **stored row** is what the store has. Other objects may look at it too; it never changes while anybody does.
/// * The **store** is kept by the stored row's block, or by the context, or, where neither does, by this.
/// * The **context** isn't kept: it takes itself out when it lets the object go.
///
/// ``isConsistent`` says the same as code; debug builds look after every change.
struct ObjectStorage: ~Copyable {
  typealias Row = UnsafeMutablePointer<StoredValue>

  /// The values by slot; nil for a fault whose row isn't at hand.
  private(set) var current: Row?
  /// The values the store has; nil for an object that was never saved. While the object has no changes, this is
  /// the current row.
  private(set) var stored: Row?
  /// What keeps the current row, if it is the object's own.
  private var ownBlock: RowBlock?
  /// What keeps the store's row.
  private var storedBlock: RowBlock?
  /// The store the object is in; nil before it was saved.
  private(set) var store: Unmanaged<StoreReference>?
  /// The context, while it has the object.
  private(set) var context: Unmanaged<NSManagedObjectContext>?
  /// The row's key, or the number of a temporary identity.
  private(set) var key: Int64
  /// How often the row was saved.
  var version: Int64 = 0
  /// Whether this itself keeps the store.
  private var keepsStore = false
  /// What is known of the object.
  var state: ObjectState
  /// The to-many relationships that were touched, by slot; nil if none was. Not an empty array, which
  /// costs every object that is made and every one that goes more than nothing does.
  var touchedMembers: [ToManyMembers?]?
  /// What few objects have.
  var scratch: NSManagedObject.Scratch?
  /// The identity, made when somebody asks for it: most objects never show theirs.
  let identity = AtomicReference<NSManagedObjectID>()

  /// That of a new object.
  init(newWithKey key: Int64) {
    self.key = key
    state = []
  }

  /// That of a fault.
  @inline(__always)
  init(_ handoff: ObjectHandoff) {
    store = handoff.store
    context = handoff.context
    key = handoff.key
    state = .fault
  }

  deinit { if keepsStore { store?.release() } }

  // MARK: What holds

  /// Whether everything is as it is said to be above.
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

  /// Whether the current row is the object's own.
  @inline(__always)
  var hasOwnRow: Bool { ownBlock != nil }

  /// Gives a new object its first row.
  @inline(__always)
  mutating func begin(with row: Row, in block: RowBlock) {
    (current, ownBlock) = (row, block)
    check()
  }

  /// Makes sure that the current row may be changed: a copy of what is there, or an empty one.
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

  /// Takes a row that came from the store, in a fault that was made for it.
  @inline(__always)
  mutating func takeFirst(_ row: Row, in block: RowBlock) {
    if !block.keeps(store) { keepStore() }
    (stored, current, storedBlock) = (row, row, block)
    check()
  }

  /// Takes a row that came from the store.
  @inline(__always)
  mutating func take(_ row: Row, in block: RowBlock) {
    keepStore()
    (stored, current, storedBlock) = (row, row, block)
    if ownBlock != nil { ownBlock = nil }
    check()
  }

  /// Takes what the store has, beside values that stay as they are.
  mutating func takeStored(_ row: Row, in block: RowBlock) {
    if ownBlock == nil, current != nil { ownBlock = storedBlock }
    keepStore()
    (stored, storedBlock) = (row, block)
    check()
  }

  /// The store has nothing of the object; its values stay.
  mutating func dropStored() {
    if ownBlock == nil, current != nil { ownBlock = storedBlock }
    keepStore()
    (stored, storedBlock) = (nil, nil)
    check()
  }

  /// The current row is now what the store has.
  @inline(__always)
  mutating func commit() {
    keepStore()
    stored = current
    storedBlock = ownBlock.take()
    check()
  }

  /// The store's row is the object's again.
  mutating func revert() {
    (current, ownBlock) = (stored, nil)
    check()
  }

  /// Lets go of the values, but not of what the store has.
  mutating func dropCurrent() {
    (current, ownBlock) = (nil, nil)
    check()
  }

  /// Lets go of both rows.
  mutating func dropRows() {
    keepStore()
    (current, stored, ownBlock, storedBlock) = (nil, nil, nil, nil)
    check()
  }

  // MARK: The store

  /// Keeps the store from now on.
  ///
  /// Most objects needn't: one whose first row came from the store has that row's block keep it, and
  /// without a row its context does. This is for all others.
  @inline(__always)
  mutating func keepStore() {
    guard !keepsStore, let store else { return }
    _ = store.retain()
    keepsStore = true
  }

  /// Gives an object that was never saved its place in a store.
  mutating func enter(_ store: StoreReference, key: Int64) {
    self.store = .passRetained(store)
    keepsStore = true
    self.key = key
    check()
  }

  // MARK: The context

  /// Whether the object needs what its context kept until now: without it, and without a row from the store,
  /// nobody else does.
  var isOnItsOwn: Bool { context == nil && storedBlock == nil }

  /// Comes to a context, or leaves it.
  mutating func setContext(_ new: NSManagedObjectContext?) {
    if new == nil, storedBlock == nil { keepStore() }
    context = new.map { .passUnretained($0) }
    check()
  }
}
