/// Allocates rows from blocks that grow with the number of rows.
final class RowAllocator {
  /// The block of the most recent row.
  private(set) var block: RowBlock
  /// What new blocks keep alive for objects that outlive everything else: the layouts of their model, or the store
  /// being read, which keeps these.
  var kept: AnyObject?
  private var next: UnsafeMutablePointer<StoredValue>
  private var left = 0
  private var nextCapacity = 8

  /// The maximum block size: a single object keeps its whole block in memory.
  private static let largestCapacity = 512

  init(keeping layouts: ModelLayout?) {
    kept = layouts
    block = RowBlock(capacity: 0, keeping: layouts)
    next = block.base
  }

  deinit { block.count = next - block.base }

  /// The address that ``allocateRow(_:)`` will return next, for a caller that doesn't know yet whether there will be
  /// a row.
  @inline(__always)
  func nextRow(_ width: Int) -> UnsafeMutablePointer<StoredValue> {
    if left < width { addBlock(width) }
    return next
  }

  /// Memory for a row in ``block``. The caller must initialize it at once.
  @inline(__always)
  func allocateRow(_ width: Int) -> UnsafeMutablePointer<StoredValue> {
    let row = nextRow(width)
    next += width
    left -= width
    return row
  }

  @inline(never)
  private func addBlock(_ width: Int) {
    block.count = next - block.base
    let capacity = max(width, nextCapacity)
    block = RowBlock(capacity: capacity, keeping: kept)
    (next, left) = (block.base, capacity)
    nextCapacity = min(nextCapacity * 2, Self.largestCapacity)
  }
}
