/// Turns rows into a context's objects.
final class ObjectSink: RestartingSink {
  // Appended to for every row, and by nothing else meanwhile: an exclusivity check would double the cost.
  @exclusivity(unchecked) private(set) var objects: [NSManagedObject] = []
  /// The relationship whose destinations the rows are; if nil, the objects are collected in ``objects``.
  var members: Unmanaged<ToManyMembers>?
  /// Whether registered objects may be inconsistent with the rows being loaded.
  var loosensKnown = false
  /// Whether the rows may be newer than those that faults have at hand without their versions showing it: they are
  /// received again, because the store was written while they were read, or a parent's objects have unsaved changes.
  private var receivesAgain: Bool
  /// Whether a row's object holds values of an earlier version.
  private(set) var metOlderValues = false

  private let context: NSManagedObjectContext
  private let rows: RowAllocator
  private let refreshes: Bool
  private let takesValues: Bool
  private var store: StoreReference?
  /// The table of the last row's hierarchy, which the context owns.
  private var table: Unmanaged<IdentityTable>?
  /// The object of the current row, which the context's table owns.
  private var last: Unmanaged<NSManagedObject>?
  private var isNew = false
  /// A fault that was made with another entity than its row's, until the row's values arrive.
  private var mistaken: NSManagedObject?
  /// Such faults and their replacements, if rows are fetched without values.
  private var mistakenFaults: [(fault: NSManagedObject, object: NSManagedObject)] = []
  /// Objects that have taken newer rows, and learn of it once all rows were read.
  private var refreshed: [NSManagedObject] = []
  private var version: Int64 = 0
  private var lastLayout: UnsafeMutableRawPointer?
  /// The hand-over for new objects of that layout, except the key.
  private var handoff: ObjectHandoff?
  /// The current thread's hand-over slot.
  private var place = ObjectHandoff.place()
  private var objectClass: NSManagedObject.Type = NSManagedObject.self

  /// - Parameters:
  ///   - refreshes: whether registered objects take the row's values.
  ///   - takesValues: whether objects take the row's values at all, or stay faults.
  init(_ context: NSManagedObjectContext, refreshes: Bool = false, takesValues: Bool = true) {
    self.context = context
    rows = context.rows
    self.refreshes = refreshes
    self.takesValues = takesValues
    receivesAgain = context.parent != nil
  }

  func begin(_ store: StoreReference?) {
    // A parent context delivers rows on its own queue's thread.
    place = ObjectHandoff.place()
    guard store !== self.store else { return }
    self.store = store
    if let store { rows.kept = store }
    (table, lastLayout) = (nil, nil)
  }

  func beginRow(of layout: EntityLayout, key: Int64, version: Int64) -> RowSlot? {
    takesRow(of: layout, key: key, version: version) ? RowSlot() : nil
  }

  @inline(__always)
  private func takesRow(of layout: EntityLayout, key: Int64, version: Int64) -> Bool {
    if Unmanaged.passUnretained(layout).toOpaque() != lastLayout { prepare(for: layout) }
    self.version = version
    guard let table, var handoff else { return false }
    let (known, spot) = table._withUnsafeGuaranteedRef { $0.look(for: key) }
    if let known { return known._withUnsafeGuaranteedRef { takeRowOfKnown($0) } }
    // The table takes over the only reference.
    handoff.key = key
    let entered = table._withUnsafeGuaranteedRef {
      $0.enterNew(handoff.makeFault(of: layout, objectClass, at: place), key, at: spot)
    }
    guard let object = entered else { return takeRowOfLatecomer(key) }
    isNew = true
    last = object
    object._withUnsafeGuaranteedRef { append($0) }
    return takesValues
  }

  @inline(never)
  private func prepare(for layout: EntityLayout) {
    if let store, store.isForeign {
      precondition(
        store.knows(layout), "a store gave a row of \(layout.name), which isn't of its model")
    }
    table = .passUnretained(context.identityMap.table(store: store, layout))
    lastLayout = Unmanaged.passUnretained(layout).toOpaque()
    objectClass = context.objectClass(of: layout)
    handoff = ObjectHandoff(layout, in: context, store, key: 0)
  }

  /// Handles a row whose object a client's initializer registered while the row's object was being made.
  @inline(never)
  private func takeRowOfLatecomer(_ key: Int64) -> Bool {
    guard let known = table?._withUnsafeGuaranteedRef({ $0[key] }) else { return false }
    return takeRowOfKnown(known)
  }

  /// Handles a row whose object is registered already; returns whether its values are wanted.
  private func takeRowOfKnown(_ object: NSManagedObject) -> Bool {
    isNew = false
    if object.layout.opaque != lastLayout, object.state.contains(.fault),
      object.state.isDisjoint(with: .pending)
    {
      return replace(object)
    }
    last = .passUnretained(object)
    append(object)
    if loosensKnown { object.state.insert(.hasLooseEnds) }
    // A row that was received before the store was written may be older than the others.
    var takesRow =
      object.state.contains(.fault) && (receivesAgain || !object.state.contains(.rowAtHand))
    if object.version != version, !takesRow {
      // What no program has seen yet is as new as the last row that was read.
      takesRow =
        takesValues && object.state.contains(.fault) && object.state.isDisjoint(with: .pending)
      if !takesRow { metOlderValues = true }
    }
    return takesValues && takesRow || refreshes && !object.hasChanges
  }

  /// Replaces a fault that was made for an identity with the wrong entity, one that a program constructed, by an
  /// object of the row's entity. The old fault keeps the values its entity shares with the row, and nothing else.
  @inline(never)
  private func replace(_ object: NSManagedObject) -> Bool {
    guard let table, let handoff, let layout = lastLayout else { return false }
    let mistaken = object
    let right = Unmanaged<EntityLayout>.fromOpaque(layout).takeUnretainedValue()
    var fresh = handoff
    fresh.key = object.rowKey
    let made = fresh.makeFault(of: right, objectClass, at: place)
    table._withUnsafeGuaranteedRef { $0[made.rowKey] = made }
    last = .passUnretained(made)
    append(made)
    mistaken.context = nil
    guard takesValues else {
      mistakenFaults.append((mistaken, made))
      return false
    }
    self.mistaken = mistaken
    return true
  }

  var rowCount: Int { objects.count }

  func startOver(at count: Int) {
    objects.removeSubrange(count...)
    receivesAgain = true
  }

  /// Lets go of the objects, so that those that nobody else has can be released.
  func letGo() { objects = [] }

  /// Gives the faults that ``replace(_:)`` has replaced their values, and tells objects of their newer ones, once all
  /// rows were read.
  func settle() {
    for object in refreshed {
      // Members may have been changed with the row, and an order must not be saved as it was read before.
      for members in object.membersBySlot { members?.forget() }
      object.scratch?.fetched = [:]
      object.awake(fromSnapshotEvents: .refresh)
    }
    refreshed = []
    for (fault, object) in mistakenFaults {
      object.wake()
      fault.stayBehind(of: object)
    }
    mistakenFaults = []
  }

  @inline(__always)
  private func append(_ object: NSManagedObject) {
    if let members {
      members._withUnsafeGuaranteedRef { $0.arrive(object) }
    } else {
      objects.append(object)
    }
  }

  func take(identity: NSManagedObjectID) {
    guard isNew else { return }
    context.awaitsIdentities = true
    last?._withUnsafeGuaranteedRef { $0.takeIdentity(identity) }
  }

  func fill(_ slot: consuming RowSlot, with values: [StoredValue]) {
    if let store, store.isForeign, let layout = last?._withUnsafeGuaranteedRef({ $0.layout }) {
      precondition(
        values.count >= layout.root.valueCount,
        "a store gave \(values.count) values for a row of \(layout.name)")
    }
    let row = room(count: values.count)
    for slot in values.indices { row.put(values[slot], at: slot) }
    keepRoom(slot, count: values.count)
  }

  /// Memory for the current row's values, in the context's allocator. ``keepRoom(_:count:)`` assigns it to the
  /// object; otherwise the next row reuses it.
  @inline(__always)
  func room(count: Int) -> RowBuffer {
    RowBuffer(rows.nextRow(width(of: count)), count: count)
  }

  /// Assigns the values written to ``room(count:)`` to the current object.
  @inline(__always)
  func keepRoom(_ slot: consuming RowSlot, count: Int) {
    let width = width(of: count)
    let row = rows.allocateRow(width)
    if width > count { (row + count).initialize(repeating: .null, count: width - count) }
    keep(row)
  }

  /// The number of values in the current object's row. An identity may name a subentity of the row's entity; the
  /// properties that the subentity adds have no values.
  @inline(__always)
  private func width(of count: Int) -> Int {
    max(count, last?._withUnsafeGuaranteedRef { $0.layout.valueCount } ?? 0)
  }

  @inline(__always)
  private func keep(_ row: UnsafeMutablePointer<StoredValue>) {
    let block = rows.block
    last?._withUnsafeGuaranteedRef { object in
      object.version = version
      // A client's initializer may have read the row already.
      if isNew, !object.hasRow {
        object.takeFirstRow(row, in: block)
      } else if object.isFault {
        object.takeRow(row, in: block)
        object.state.insert(.rowAtHand)
        guard let mistaken else { return }
        mistaken.stayBehind(of: object)
        self.mistaken = nil
      } else {
        object.takeNewerRow(row, in: block)
        object.state.insert(.hasLooseEnds)
        refreshed.append(object)
        guard let mistaken else { return }
        mistaken.stayBehind(of: object)
        self.mistaken = nil
      }
    }
  }
}
