/// Memory for the values of one row, which whoever fills it makes by slot: each once, in order.
struct RowBuffer {
  private let base: UnsafeMutablePointer<StoredValue>
  private let count: Int

  @inline(__always)
  init(_ base: UnsafeMutablePointer<StoredValue>, count: Int) {
    (self.base, self.count) = (base, count)
  }

  /// Makes the value of a slot.
  @inline(__always)
  func put(_ value: StoredValue, at slot: Int) {
    assert(slot >= 0 && slot < count, "a row of \(count) values has no slot \(slot)")
    (base + slot).initialize(to: value)
  }

  /// Removes the values of the first slots, as the rest can't be made.
  func removeFirst(_ made: Int) { base.deinitialize(count: made) }
}

extension [StoredValue] {
  /// A list of the values that `make` makes; nil where it says that there are none.
  init?(makingRow count: Int, by make: (RowBuffer) throws -> Bool) rethrows {
    var isMade = false
    try self.init(unsafeUninitializedCapacity: count) { buffer, made in
      guard let base = buffer.baseAddress, count > 0 else { return isMade = true }
      isMade = try make(RowBuffer(base, count: count))
      made = isMade ? count : 0
    }
    guard isMade else { return nil }
  }
}
