/// Rows of values side by side in memory: one piece of it for many objects.
///
/// Objects hold the block and the address of their own row in it. A row that is what the store has is
/// changed only when a fault is fired, which adds what no store keeps, and when a temporary identity in it
/// is replaced by the lasting one; one of an object's own is changed by that object alone.
final class RowBlock: @unchecked Sendable {
  let base: UnsafeMutablePointer<StoredValue>
  /// How many values there is room for.
  private let capacity: Int
  /// How many values there are: set when the block is full.
  var count = 0

  /// What is there for as long as the block is; see ``RowAllocator/kept``.
  private let kept: AnyObject?

  init(capacity: Int, keeping kept: AnyObject?) {
    base = .allocate(capacity: max(1, capacity))
    self.capacity = capacity
    self.kept = kept
  }

  /// Whether a row lies here.
  func contains(_ row: UnsafePointer<StoredValue>) -> Bool {
    row >= UnsafePointer(base) && row <= base + capacity
  }

  /// Whether a store is there for as long as the block is.
  @inline(__always)
  func keeps(_ store: Unmanaged<StoreReference>?) -> Bool {
    kept.map { Unmanaged.passUnretained($0).toOpaque() } == store?.toOpaque()
  }

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }
}
