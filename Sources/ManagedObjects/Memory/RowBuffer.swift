/// Uninitialized memory for the values of one row. The writer initializes each slot once, in order.
struct RowBuffer {
  private let base: UnsafeMutablePointer<StoredValue>
  private let count: Int

  @inline(__always)
  init(_ base: UnsafeMutablePointer<StoredValue>, count: Int) {
    (self.base, self.count) = (base, count)
  }

  /// Initializes the value of a slot.
  @inline(__always)
  func put(_ value: StoredValue, at slot: Int) {
    assert(slot >= 0 && slot < count, "a row of \(count) values has no slot \(slot)")
    (base + slot).initialize(to: value)
  }

  /// Deinitializes the first slots, when the rest can't be made.
  func removeFirst(_ made: Int) { base.deinitialize(count: made) }
}

extension [StoredValue] {
  /// Creates a row of values that `make` writes; nil if it returns false.
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
