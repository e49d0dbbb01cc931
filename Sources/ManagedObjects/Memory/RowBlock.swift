/// A contiguous piece of memory with rows of values for many objects.
///
/// Objects hold the block and the address of their own row in it. A stored row changes only when a fault fires, which
/// adds the values that no store keeps, and when a temporary identity in it is replaced by the permanent one. An
/// object's own row is changed by that object alone.
final class RowBlock: @unchecked Sendable {
  let base: UnsafeMutablePointer<StoredValue>
  /// The capacity, in values.
  private let capacity: Int
  /// The number of initialized values; set when the block is full.
  var count = 0

  /// What the block keeps alive; see ``RowAllocator/kept``.
  private let kept: AnyObject?

  init(capacity: Int, keeping kept: AnyObject?) {
    base = .allocate(capacity: max(1, capacity))
    self.capacity = capacity
    self.kept = kept
  }

  /// Whether a row lies in this block.
  func contains(_ row: UnsafePointer<StoredValue>) -> Bool {
    row >= UnsafePointer(base) && row <= base + capacity
  }

  /// Whether the block keeps a store alive.
  @inline(__always)
  func keeps(_ store: Unmanaged<StoreReference>?) -> Bool {
    kept.map { Unmanaged.passUnretained($0).toOpaque() } == store?.toOpaque()
  }

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }
}
