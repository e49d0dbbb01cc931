/// Rows of values side by side in memory: one piece of it for many objects.
///
/// Objects hold the block and the address of their own row in it. A row that is what the store has is
/// never changed; one of an object's own is changed by that object alone.
final class RowBlock: @unchecked Sendable {
  private let base: UnsafeMutablePointer<StoredValue>
  private let capacity: Int
  private var count = 0

  /// Makes room for `capacity` values.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    base = .allocate(capacity: self.capacity)
  }

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  /// Room for a row, to be filled by the caller at once; nil when the block is full.
  @inline(__always)
  func room(_ width: Int) -> UnsafeMutablePointer<StoredValue>? {
    guard capacity - count >= width else { return nil }
    let row = base + count
    count += width
    return row
  }
}

/// Gives rows out of blocks that grow with their number.
final class RowAllocator {
  /// The block the last row is in.
  private(set) var block = RowBlock(capacity: 0)
  private var nextCapacity = 8

  /// Past this many values blocks don't grow: one object keeps its whole block in memory.
  private static let largestCapacity = 512

  /// Room for a row in ``block``, to be filled by the caller at once.
  @inline(__always)
  func room(_ width: Int) -> UnsafeMutablePointer<StoredValue> {
    while true {
      if let row = block.room(width) { return row }
      addBlock(width)
    }
  }

  @inline(never)
  private func addBlock(_ width: Int) {
    block = RowBlock(capacity: max(width, nextCapacity))
    nextCapacity = min(nextCapacity * 2, Self.largestCapacity)
  }
}
