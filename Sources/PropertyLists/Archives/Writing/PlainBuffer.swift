/// A growable, uniquely owned buffer of trivial values.
///
/// An encoder appends and removes several hundred million values for a large model and shares none of them, so it would
/// spend a good part of its time on `Array`'s support for copy-on-write. Indexes are checked.
struct PlainBuffer<Element: BitwiseCopyable>: ~Copyable {
  private var memory: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init(minimumCapacity: Int = 64) {
    capacity = max(minimumCapacity, 1)
    memory = .allocate(capacity: capacity)
  }

  deinit {
    memory.deallocate()
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count, "an index is out of range")
      return memory[index]
    }
    set {
      precondition(index >= 0 && index < count, "an index is out of range")
      memory[index] = newValue
    }
  }

  /// The values of a range. Valid until something is appended.
  @inline(__always)
  func values(_ range: Range<Int>) -> UnsafeMutableBufferPointer<Element> {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range is out of bounds")
    return UnsafeMutableBufferPointer(start: memory + range.lowerBound, count: range.count)
  }

  @inline(__always)
  mutating func append(_ value: Element) {
    // Nothing has to be preserved across the call, so the fast path saves no registers.
    guard count < capacity else { return appendGrowing(value) }
    memory[count] = value
    count &+= 1
  }

  @inline(never)
  private mutating func appendGrowing(_ value: Element) {
    grow(to: count + 1)
    memory[count] = value
    count += 1
  }

  mutating func append(repeating value: Element, count added: Int) {
    if added > capacity - count { grow(to: count + added) }
    (memory + count).initialize(repeating: value, count: added)
    count += added
  }

  @inline(__always)
  mutating func removeLast(_ removed: Int) {
    precondition(removed >= 0 && removed <= count, "more is removed than there is")
    count &-= removed
  }

  mutating func reserveCapacity(_ wanted: Int) {
    if wanted > capacity { grow(to: wanted) }
  }

  private mutating func grow(to wanted: Int) {
    let grown = max(wanted, capacity * 2)
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: grown)
    moved.update(from: memory, count: count)
    memory.deallocate()
    memory = moved
    capacity = grown
  }
}
