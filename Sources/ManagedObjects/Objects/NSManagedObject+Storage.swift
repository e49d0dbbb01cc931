import DataModels

/// Where an object's values lie: in a row that is the store's until the first change, then in one of its
/// own.
extension NSManagedObject {
  /// The values by slot; empty for a fault whose row isn't at hand.
  final var values: [StoredValue] {
    get { array(current) }
    set {
      // An entity without values has rows too.
      guard !newValue.isEmpty || layout.valueCount == 0 else {
        (current, ownBlock) = (nil, nil)
        return
      }
      state.insert(.hasLooseEnds)
      if ownBlock == nil { makeOwnRow() }
      guard let current else { return }
      for slot in 0..<min(newValue.count, layout.valueCount) { current[slot] = newValue[slot] }
    }
  }

  /// The values the store has; empty for an object that was never saved.
  final var committed: [StoredValue] {
    get { array(stored) }
    set {
      if state.contains(.eventValuesAreStored) { eventValues = committed }
      if ownBlock == nil, current != nil { ownBlock = storedBlock }
      keepStore()
      guard !newValue.isEmpty else {
        (stored, storedBlock) = (nil, nil)
        return
      }
      let (row, block) = room()
      for slot in 0..<layout.valueCount {
        (row + slot).initialize(to: slot < newValue.count ? newValue[slot] : .null)
      }
      (stored, storedBlock) = (row, block)
    }
  }

  private final func array(_ row: UnsafeMutablePointer<StoredValue>?) -> [StoredValue] {
    row.map { Array(UnsafeBufferPointer(start: $0, count: layout.valueCount)) } ?? []
  }

  /// Room for a row.
  private final func room() -> (UnsafeMutablePointer<StoredValue>, RowBlock) {
    if let rows = context?.rows {
      let row = rows.room(layout.valueCount)
      return (row, rows.block)
    }
    let rows = RowAllocator(keeping: layout.model)
    let row = rows.room(layout.valueCount)
    return (row, rows.block)
  }

  /// Puts the model's default values into a new object.
  @inline(__always)
  final func takeDefaultValues(from rows: RowAllocator) {
    let defaults = layout.defaultRow
    let row = rows.room(defaults.count)
    for slot in defaults.indices { (row + slot).initialize(to: defaults[slot]) }
    (current, ownBlock) = (row, rows.block)
  }

  /// Gives the object a row of its own that it may change: a copy of the store's, or an empty one.
  @inline(never)
  private final func makeOwnRow() {
    let count = layout.valueCount
    let rows = context?.rows ?? RowAllocator(keeping: layout.model)
    let row = rows.room(count)
    if let current {
      row.initialize(from: current, count: count)
    } else {
      row.initialize(repeating: .null, count: count)
    }
    current = row
    ownBlock = rows.block
  }

  /// The value in a slot of an object that is no fault.
  @inline(__always)
  final func currentValue(at slot: Int) -> StoredValue {
    guard let current else { return .null }
    return current[slot]
  }

  /// The value the store has in a slot; none if the object was never saved.
  @inline(__always)
  final func committedValue(at slot: Int) -> StoredValue {
    guard let stored else { return .null }
    return stored[slot]
  }

  /// Replaces the value in a slot, without any upkeep.
  @inline(__always)
  final func replaceValue(at slot: Int, by value: StoredValue) {
    if ownBlock == nil { makeOwnRow() }
    if let current { current[slot] = value }
  }

  /// Takes a row that came from the store, in a fault that was made for it.
  @inline(__always)
  final func takeFirstRow(_ row: UnsafeMutablePointer<StoredValue>, in block: RowBlock) {
    if !block.keeps(storePointer) { keepStore() }
    (stored, current, storedBlock) = (row, row, block)
    state = [.fault, .rowAtHand]
  }

  /// Takes a row that came from the store.
  @inline(__always)
  final func takeRow(_ row: UnsafeMutablePointer<StoredValue>, in block: RowBlock) {
    if state.contains(.eventValuesAreStored) { eventValues = committed }
    keepStore()
    stored = row
    storedBlock = block
    current = row
    if ownBlock != nil { ownBlock = nil }
  }

  /// The values are now what the store has.
  @inline(__always)
  final func commitValues() {
    guard ownBlock != nil else { return }
    if state.contains(.eventValuesAreStored) { eventValues = committed }
    keepStore()
    stored = current
    storedBlock = ownBlock.take()
  }

  /// The store's values are the object's again.
  final func revertValues() {
    guard stored != nil else { return }
    state.insert(.hasLooseEnds)
    (current, ownBlock) = (stored, nil)
  }

  /// The values by slot, as the store writes them; nil for a fault.
  final var currentRow: UnsafePointer<StoredValue>? { current.map { UnsafePointer($0) } }

  /// The values by slot, as the store has them; nil for an object that was never saved.
  final var committedRow: UnsafePointer<StoredValue>? { stored.map { UnsafePointer($0) } }

  /// How often the row was saved.
  final var version: Int64 {
    get { rowVersion }
    set { rowVersion = newValue }
  }

  /// The to-many relationships that were touched, by slot; empty if none was.
  final var toManys: [ToManyMembers?] { membersBySlot }

  /// Whether a to-many relationship was touched.
  final var hasTouchedToManys: Bool { touchedMembers != nil }

  /// The same, as the context sees it.
  final var membersBySlot: [ToManyMembers?] {
    get { touchedMembers ?? [] }
    set { touchedMembers = newValue.isEmpty ? nil : newValue }
  }

  /// The row's key, or the number of a temporary identity.
  final var rowKey: Int64 { key }

  // MARK: The present event

  /// The values at the beginning of the present event.
  final var eventValues: [StoredValue]? {
    get { state.contains(.eventValuesAreStored) ? committed : scratch?.eventValues }
    set {
      state.remove(.eventValuesAreStored)
      guard newValue != nil || scratch != nil else { return }
      let scratch = scratch ?? Scratch()
      scratch.eventValues = newValue
      self.scratch = scratch
    }
  }

  /// The present event is over.
  @inline(__always)
  final func endEvent() {
    state.subtract([.changedInEvent, .insertedInEvent, .eventValuesAreStored])
    guard let scratch else { return }
    scratch.eventValues = nil
    if !scratch.membersBeforeEvent.isEmpty { scratch.membersBeforeEvent = [:] }
    if !scratch.orderedSets.isEmpty { scratch.orderedSets = [:] }
  }

  /// Remembers the values as those at the beginning of the present event.
  @inline(__always)
  final func rememberEventValues() {
    if ownBlock == nil, stored != nil {
      state.insert(.eventValuesAreStored)
    } else {
      eventValues = values
    }
  }
}

/// Identities, which most objects never show.
extension NSManagedObject {
  /// The object's identity.
  final var identity: NSManagedObjectID {
    let made = madeIdentity.load(ordering: .acquiring)
    if let known = UnsafeRawPointer(bitPattern: made) {
      return Unmanaged<NSManagedObjectID>.fromOpaque(known).takeUnretainedValue()
    }
    return makeIdentity()
  }

  /// Whether somebody has asked for the identity, or it is that of a row.
  final var hasIdentity: Bool { !isTemporary || madeIdentity.load(ordering: .acquiring) != 0 }

  @inline(never)
  private final func makeIdentity() -> NSManagedObjectID {
    // Other threads may ask an object for its identity: the first to be done makes it.
    let identity = NSManagedObjectID(layout: layout, store: storeReference, key: key)
    let bits = UInt(bitPattern: Unmanaged.passRetained(identity).toOpaque())
    let (isFirst, present) = madeIdentity.compareExchange(
      expected: 0, desired: bits, ordering: .acquiringAndReleasing)
    guard !isFirst, let known = UnsafeRawPointer(bitPattern: present) else { return identity }
    Unmanaged.passUnretained(identity).release()
    return Unmanaged<NSManagedObjectID>.fromOpaque(known).takeUnretainedValue()
  }

  /// Takes an identity that somebody has already, in an object that was just made for it.
  final func takeIdentity(_ identity: NSManagedObjectID) {
    let bits = UInt(bitPattern: Unmanaged.passRetained(identity).toOpaque())
    let (isFirst, _) = madeIdentity.compareExchange(
      expected: 0, desired: bits, ordering: .acquiringAndReleasing)
    if !isFirst { Unmanaged.passUnretained(identity).release() }
  }

  final func releaseIdentity() {
    let made = madeIdentity.load(ordering: .acquiring)
    guard let known = UnsafeRawPointer(bitPattern: made) else { return }
    Unmanaged<NSManagedObjectID>.fromOpaque(known).release()
  }

  /// Gives an object that was never saved its lasting identity.
  final func takeLastingIdentity(store: StoreReference, key: Int64) {
    let made = madeIdentity.exchange(0, ordering: .acquiringAndReleasing)
    storePointer = .passRetained(store)
    keepsStore = true
    self.key = key
    guard let known = UnsafeRawPointer(bitPattern: made) else { return }
    // Somebody knows the temporary one, and may ask for the object by it.
    let temporary = Unmanaged<NSManagedObjectID>.fromOpaque(known).takeRetainedValue()
    temporary.setSuccessor(identity)
  }

  /// Takes the lasting identity that an ancestor context has given in the temporary one's place.
  final func succeed(by lasting: NSManagedObjectID) {
    guard storePointer == nil, let store = lasting.storeReference else { return }
    let made = madeIdentity.exchange(0, ordering: .acquiringAndReleasing)
    storePointer = .passRetained(store)
    keepsStore = true
    key = lasting.key
    takeIdentity(lasting)
    guard let known = UnsafeRawPointer(bitPattern: made) else { return }
    Unmanaged<NSManagedObjectID>.fromOpaque(known).release()
  }

  /// Has the row, here and as the store has it, refer to lasting identities where there are some, and gives those
  /// that are temporary still.
  final func resolveStoredReferences() -> [NSManagedObjectID] {
    var temporary: [NSManagedObjectID] = []
    for slot in layout.toOneSlots {
      for row in [stored, current] {
        guard let row, let id = row[slot].reference, id.isTemporaryID else { continue }
        if let lasting = id.successor {
          row[slot] = .reference(lasting)
        } else {
          temporary.append(id)
        }
      }
    }
    return temporary
  }

  /// The store the object is in; nil before it was saved.
  final var storeReference: StoreReference? { storePointer?.takeUnretainedValue() }

  /// Whether the object's row is in a store.
  @inline(__always)
  final func isIn(_ store: StoreReference) -> Bool {
    storePointer?.toOpaque() == Unmanaged.passUnretained(store).toOpaque()
  }

  /// Whether the object's row is in one of some stores, or will be; whoever wasn't assigned to a store may
  /// get into any that takes it.
  final func isIn(oneOf stores: [NSPersistentStore]) -> Bool {
    guard isTemporary else { return stores.contains { isIn($0.reference) } }
    if let assigned = scratch?.assignedStore { return stores.contains { $0 === assigned } }
    let store = context?.persistentStoreCoordinator?.usualStore(for: layout)
    return stores.contains { $0 === store }
  }

  /// Keeps the store from now on.
  ///
  /// Most objects needn't: one whose first row came from the store has that row's block keep it, and
  /// without a row its context does. This is for all others.
  @inline(__always)
  final func keepStore() {
    guard !keepsStore, let storePointer else { return }
    _ = storePointer.retain()
    keepsStore = true
  }

  /// The context, while it has the object.
  final var context: NSManagedObjectContext? {
    @inline(__always) get { contextReference?.takeUnretainedValue() }
    set {
      contextReference = newValue.map { .passUnretained($0) }
      if newValue == nil, storedBlock == nil { keepWhatIsLeft() }
    }
  }

  /// What an object without a row from the store needs when no context keeps it any more: its store, or its
  /// model, which the block of a row of its own keeps, and else a temporary identity.
  @inline(never)
  private final func keepWhatIsLeft() {
    keepStore()
    if storePointer == nil, ownBlock == nil { _ = identity }
  }

  /// The object stays behind where its context goes: what leads in a circle from object to object would
  /// keep them all for ever. Other relationships that are here stay as they are.
  final func leaveContext() {
    context = nil
    guard touchedMembers != nil || scratch != nil else { return }
    scratch?.fetched = [:]
    scratch?.orderedSets = [:]
    for property in layout.toManys where property.destination?.leadsToMany == true {
      touchedMembers?[property.slot]?.breakCircle()
    }
  }

  /// Whether this context has the object.
  @inline(__always)
  final func isOf(_ context: NSManagedObjectContext) -> Bool {
    contextReference?.toOpaque() == Unmanaged.passUnretained(context).toOpaque()
  }

  /// Whether the context that has another object, if any, has this one.
  @inline(__always)
  final func isInContext(of other: NSManagedObject) -> Bool {
    contextReference?.toOpaque() == other.contextReference?.toOpaque()
  }

  /// Whether an identity is this object's.
  @inline(__always)
  final func isObject(of identity: NSManagedObjectID) -> Bool {
    identity.key == key && identity.isIn(storePointer)
      && identity.layout.rootID == layout.rootID
  }

  /// Whether the object has no lasting identity yet.
  final var isTemporary: Bool { storePointer == nil }
}
