import DataModels

/// An object's values: the store's row until the first change, then a row of its own.
extension NSManagedObject {
  /// The values by slot; empty for a fault without a cached row.
  final var values: [StoredValue] {
    get { array(storage.current) }
    set {
      noteUnindexed()
      // An entity without attributes has rows too.
      guard !newValue.isEmpty || layout.valueCount == 0 else { return storage.dropCurrent() }
      state.insert(.hasLooseEnds)
      guard let row = ownRow() else { return }
      for slot in 0..<min(newValue.count, layout.valueCount) { row[slot] = newValue[slot] }
    }
  }

  /// The values in the store; empty for an object that was never saved.
  final var committed: [StoredValue] {
    get { array(storage.stored) }
    set {
      noteUnindexed()
      if state.contains(.eventValuesAreStored) { eventValues = committed }
      guard !newValue.isEmpty else { return storage.dropStored() }
      let rows = self.rows
      let row = rows.allocateRow(layout.valueCount)
      for slot in 0..<layout.valueCount {
        (row + slot).initialize(to: slot < newValue.count ? newValue[slot] : .null)
      }
      storage.takeStored(row, in: rows.block)
    }
  }

  private final func array(_ row: UnsafeMutablePointer<StoredValue>?) -> [StoredValue] {
    row.map { Array(UnsafeBufferPointer(start: $0, count: layout.valueCount)) } ?? []
  }

  /// The allocator of the object's own row.
  private final var rows: RowAllocator {
    context?.rows ?? RowAllocator(keeping: layout.model)
  }

  /// The object's own, mutable row: a copy of the store's, or an empty one.
  @inline(__always)
  private final func ownRow() -> UnsafeMutablePointer<StoredValue>? {
    storage.ownRow(layout.valueCount, from: rows)
  }

  /// Sets the model's default values in a new object.
  @inline(__always)
  final func takeDefaultValues(from rows: RowAllocator) {
    let defaults = layout.defaultRow
    let row = rows.allocateRow(defaults.count)
    for slot in defaults.indices { (row + slot).initialize(to: defaults[slot]) }
    storage.begin(with: row, in: rows.block)
  }

  /// Whether the values are in memory, whether or not the fault has fired.
  @inline(__always)
  final var hasRow: Bool { storage.current != nil }

  /// Whether the store's row of the object is in memory.
  @inline(__always)
  final var hasStoredRow: Bool { storage.stored != nil }

  /// Whether the values may differ from the store's.
  @inline(__always)
  final var hasOwnRow: Bool { storage.hasOwnRow }

  /// The value in a slot of an object that isn't a fault.
  @inline(__always)
  final func currentValue(at slot: Int) -> StoredValue {
    guard let current = storage.current else { return .null }
    return current[slot]
  }

  /// The value in a slot as stored; null if the object was never saved.
  @inline(__always)
  final func committedValue(at slot: Int) -> StoredValue {
    guard let stored = storage.stored else { return .null }
    return stored[slot]
  }

  /// Replaces the value in a slot without maintaining relationships or change tracking.
  @inline(__always)
  final func replaceValue(at slot: Int, by value: StoredValue) {
    noteUnindexed()
    if let row = ownRow() { row[slot] = value }
  }

  /// Notes that values which the context's index of unsaved objects may have are about to change.
  @inline(__always)
  final func noteUnindexed() {
    if state.contains(.indexed) { leaveIndex() }
  }

  @inline(never)
  private final func leaveIndex() {
    state.remove(.indexed)
    context?.unsaved.index?.noteChange(of: self)
  }

  /// Sets properties that no store keeps to their defaults, as in a new object: a missing mandatory value would
  /// prevent the object from being saved. The stored row gets them first.
  @inline(never)
  final func takeTransientDefaults() {
    for slot in layout.transientSlots where committedValue(at: slot).isNull {
      storage.stored?[slot] = layout.defaultValues[slot]
      guard storage.hasOwnRow, currentValue(at: slot).isNull else { continue }
      storage.current?[slot] = layout.defaultValues[slot]
    }
  }

  /// Takes the current values of properties that no store keeps, such as those that `awakeFromFetch` has computed, for
  /// stored ones: discarding changes must not discard these.
  final func commitUnstoredValues() {
    guard storage.hasOwnRow, hasStoredRow else { return }
    for slot in layout.unstoredSlots { storage.stored?[slot] = currentValue(at: slot) }
    if values == committed { storage.revert() }
  }

  /// Replaces temporary references in the current and the stored row by permanent ones where these exist, and returns
  /// the references that are still temporary.
  final func resolveStoredReferences() -> [NSManagedObjectID] {
    var temporary: [NSManagedObjectID] = []
    for slot in layout.toOneSlots {
      for row in [storage.stored, storage.current] {
        guard let row, let id = row[slot].reference, id.isTemporary else { continue }
        if let permanent = id.successor {
          row[slot] = .reference(permanent)
        } else {
          temporary.append(id)
        }
      }
    }
    return temporary
  }

  /// Takes a row read from the store, in a fault that was made for it.
  @inline(__always)
  final func takeFirstRow(_ row: UnsafeMutablePointer<StoredValue>, in block: RowBlock) {
    storage.takeFirst(row, in: block)
    state = [.fault, .rowAtHand]
  }

  /// Takes a row read from the store.
  @inline(__always)
  final func takeRow(_ row: UnsafeMutablePointer<StoredValue>, in block: RowBlock) {
    noteUnindexed()
    if state.contains(.eventValuesAreStored) { eventValues = committed }
    storage.take(row, in: block)
  }

  /// Takes a newer row than that of the values which the program has seen. What no store keeps stays.
  final func takeNewerRow(_ row: UnsafeMutablePointer<StoredValue>, in block: RowBlock) {
    for slot in layout.unstoredSlots { row[slot] = currentValue(at: slot) }
    takeRow(row, in: block)
  }

  /// Makes the current values the stored ones.
  @inline(__always)
  final func commitValues() {
    guard storage.hasOwnRow else { return }
    if state.contains(.eventValuesAreStored) { eventValues = committed }
    storage.commit()
  }

  /// Discards changes: the store's values become current again.
  final func revertValues() {
    guard hasStoredRow else { return }
    noteUnindexed()
    state.insert(.hasLooseEnds)
    storage.revert()
  }

  /// The number of times the row was saved.
  @inline(__always)
  final var version: Int64 {
    get { storage.version }
    set { storage.version = newValue }
  }

  /// The object's state flags.
  @inline(__always)
  final var state: ObjectState {
    get { storage.state }
    _modify { yield &storage.state }
  }

  /// Rarely needed state; nil for most objects.
  @inline(__always)
  final var scratch: Scratch? {
    get { storage.scratch }
    _modify { yield &storage.scratch }
  }

  /// The accessed to-many relationships, by slot; nil if there are none.
  @inline(__always)
  final var touchedMembers: [ToManyMembers?]? {
    get { storage.touchedMembers }
    _modify { yield &storage.touchedMembers }
  }

  /// The same; empty if there are none.
  final var toManys: [ToManyMembers?] { membersBySlot }

  /// Whether a to-many relationship was accessed.
  final var hasTouchedToManys: Bool { touchedMembers != nil }

  /// The same, settable by the context.
  final var membersBySlot: [ToManyMembers?] {
    get { touchedMembers ?? [] }
    set { touchedMembers = newValue.isEmpty ? nil : newValue }
  }

  // MARK: The present event

  /// The values at the beginning of the current event.
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

  /// The values at the beginning of the event that has ended last; nil if the object hadn't been there, or unchanged.
  final var toldValues: [StoredValue]? {
    state.contains(.toldValuesAreStored) ? committed : scratch?.toldValues
  }

  @inline(__always)
  final func dropToldValues() {
    state.remove(.toldValuesAreStored)
    scratch?.toldValues = nil
  }

  /// Ends the current event.
  @inline(__always)
  final func endEvent() {
    let areStored = state.contains(.eventValuesAreStored)
    state.subtract([
      .changedInEvent, .insertedInEvent, .eventValuesAreStored, .toldValuesAreStored,
    ])
    if areStored { state.insert(.toldValuesAreStored) }
    guard let scratch else { return }
    scratch.toldValues = scratch.eventValues
    scratch.eventValues = nil
    if scratch.remembersMembers {
      scratch.remembersMembers = false
      for members in toManys { members?.endJournal() }
    }
    if !scratch.orderedSets.isEmpty { scratch.orderedSets = [:] }
  }

  /// Records the values as those at the beginning of the current event.
  @inline(__always)
  final func rememberEventValues() {
    if !hasOwnRow, hasStoredRow {
      state.insert(.eventValuesAreStored)
    } else {
      eventValues = values
    }
  }
}

extension NSManagedObject {
  /// Takes a value that the store computed, as if it had been read with the row.
  final func takeStoreValue(_ value: StoredValue, of property: PropertyLayout) {
    if values.indices.contains(property.slot) { values[property.slot] = value }
    if committed.indices.contains(property.slot) { committed[property.slot] = value }
  }
}
