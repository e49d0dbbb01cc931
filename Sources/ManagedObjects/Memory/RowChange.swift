import Foundation

/// A row that a save changes: its key, the version that was read, and the values before and after.
///
/// The values lie in the memory of their object, or of the ``StoreChanges`` that the row belongs to. A change can be
/// read as long as that memory exists and isn't modified, and its entity as long as the model exists.
@_spi(Engines) public struct RowChange {
  /// The row's entity.
  public unowned(unsafe) let layout: EntityLayout
  /// The row's key.
  public let key: Int64
  /// The number of times the row had been saved when it was read; 0 for a new one.
  public let version: Int64
  /// The current values; nil for a row whose values were never read.
  private let now: UnsafePointer<StoredValue>?
  /// The values as they were read; nil for a new row.
  private let before: UnsafePointer<StoredValue>?

  /// Creates the change of an object that is to be saved.
  @inline(__always)
  init(_ object: NSManagedObject) {
    layout = object.layout
    key = object.rowKey
    version = object.version
    now = object.storage.current.map { UnsafePointer($0) }
    before = object.storage.stored.map { UnsafePointer($0) }
  }

  /// Creates the change of a row without an object, whose values are stored in blocks of their own.
  init(
    _ layout: EntityLayout, key: Int64, version: Int64, keeping kept: inout [RowBlock],
    _ values: [StoredValue], before: [StoredValue]?
  ) {
    func row(_ values: [StoredValue]) -> UnsafePointer<StoredValue> {
      let rows = RowAllocator(keeping: layout.model)
      let row = rows.allocateRow(layout.valueCount)
      for slot in 0..<layout.valueCount {
        (row + slot).initialize(to: values.indices.contains(slot) ? values[slot] : .null)
      }
      kept.append(rows.block)
      return UnsafePointer(row)
    }
    self.layout = layout
    self.key = key
    self.version = version
    now = row(values)
    self.before = before.map(row)
  }

  /// Creates a stand-in for a row of which only relationships are written.
  init(_ row: RowKey) {
    (layout, key, version) = (row.layout, row.key, 0)
    (now, before) = (nil, nil)
  }

  /// Whether the values are in memory; false for a row that was never read.
  public var hasValues: Bool { now != nil }

  /// The value in a slot; null if the values aren't in memory.
  @inline(__always)
  subscript(slot: Int) -> StoredValue {
    check(slot)
    guard let now else { return .null }
    return now[slot]
  }

  /// The value in a slot as it was read; null for a new row.
  @inline(__always)
  func valueBefore(at slot: Int) -> StoredValue {
    check(slot)
    guard let before else { return .null }
    return before[slot]
  }

  /// Whether any value may differ from what was read.
  @inline(__always)
  public var mayDiffer: Bool { now != nil && before != nil && now != before }

  /// Whether the value in a slot differs from what was read; false for a new row.
  @inline(__always)
  func differs(at slot: Int) -> Bool {
    guard let now, let before, now != before else { return false }
    check(slot)
    // Most of a row is a bytewise copy of what was read.
    return memcmp(now + slot, before + slot, MemoryLayout<StoredValue>.size) != 0
      && now[slot] != before[slot]
  }

  @inline(__always)
  private func check(_ slot: Int) {
    assert(slot >= 0 && slot < layout.valueCount, "a row of \(layout.name) has no slot \(slot)")
  }
}

/// A row's values as seen by engines in other packages. Bounds are checked in release builds too.
@_spi(Engines) extension RowChange {
  /// The value of an attribute or a to-one relationship, with references by permanent identity; null if the row's
  /// values aren't in memory.
  public func value(of property: PropertyLayout) -> StoredValue {
    let value = self[require(property)]
    return value.reference?.successor.map { .reference($0) } ?? value
  }

  /// The value as it was read; null of a new row.
  public func valueBefore(of property: PropertyLayout) -> StoredValue {
    valueBefore(at: require(property))
  }

  /// Whether the value differs from what was read; false for a new row.
  public func differs(in property: PropertyLayout) -> Bool { differs(at: require(property)) }

  private func require(_ property: PropertyLayout) -> Int {
    precondition(
      property.isOfValues && property.slot < layout.valueCount,
      "a row of \(layout.name) has no value of '\(property.name)'")
    return property.slot
  }
}
