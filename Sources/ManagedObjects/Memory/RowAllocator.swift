/// Gives rows out of blocks that grow with their number.
final class RowAllocator {
  /// The block the last row is in.
  private(set) var block: RowBlock
  /// What objects that outlive everything else need still, and blocks made from now on keep: the layouts
  /// of their model, or the store that rows come from at present, which keeps these.
  var kept: AnyObject?
  private var next: UnsafeMutablePointer<StoredValue>
  private var left = 0
  private var nextCapacity = 8

  /// Past this many values blocks don't grow: one object keeps its whole block in memory.
  private static let largestCapacity = 512

  init(keeping layouts: ModelLayout?) {
    kept = layouts
    block = RowBlock(capacity: 0, keeping: layouts)
    next = block.base
  }

  deinit { block.count = next - block.base }

  /// Where ``allocateRow(_:)`` will be when it is next asked for, for a caller who doesn't know yet whether
  /// there will be a row.
  @inline(__always)
  func nextRow(_ width: Int) -> UnsafeMutablePointer<StoredValue> {
    if left < width { addBlock(width) }
    return next
  }

  /// Memory for a row in ``block``, to be filled by the caller at once.
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
