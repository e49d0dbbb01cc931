import Foundation

/// A row that a save changes: which one, which version of it was read, and its values before and after.
///
/// The values lie where their object keeps them, or the ``StoreChanges`` that the row is of: a change can be read for
/// as long as these are there and nobody changes them, and its entity for as long as the model is.
@_spi(Engines) public struct RowChange {
  /// The row's entity.
  public unowned(unsafe) let layout: EntityLayout
  /// The row's key.
  public let key: Int64
  /// How often the row had been saved when it was read; 0 for a new one.
  public let version: Int64
  /// The values now; nil for a row whose values nobody has read.
  private let now: UnsafePointer<StoredValue>?
  /// The values as they were read; nil for a new row.
  private let before: UnsafePointer<StoredValue>?

  /// The row of an object, as it is to be saved.
  @inline(__always)
  init(_ object: NSManagedObject) {
    layout = object.layout
    key = object.rowKey
    version = object.version
    now = object.storage.current.map { UnsafePointer($0) }
    before = object.storage.stored.map { UnsafePointer($0) }
  }

  /// A row without an object, whose values are put into blocks of their own.
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

  /// Whether the values are here: they aren't of a row that nobody has read.
  public var hasValues: Bool { now != nil }

  /// The value in a slot; null where the values aren't here.
  @inline(__always)
  subscript(slot: Int) -> StoredValue {
    check(slot)
    guard let now else { return .null }
    return now[slot]
  }

  /// The value in a slot as it was read; null of a new row.
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
    // Most of a row is as it was, byte for byte: a copy.
    return memcmp(now + slot, before + slot, MemoryLayout<StoredValue>.size) != 0
      && now[slot] != before[slot]
  }

  @inline(__always)
  private func check(_ slot: Int) {
    assert(slot >= 0 && slot < layout.valueCount, "a row of \(layout.name) has no slot \(slot)")
  }
}

/// What engines of other packages see of a row's values: bounds are looked at in release builds too.
@_spi(Engines) extension RowChange {
  /// The value of an attribute or a to-one, references by their lasting identities; null where the row's values
  /// aren't here.
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
