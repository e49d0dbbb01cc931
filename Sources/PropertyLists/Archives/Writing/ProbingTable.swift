/// An open-addressing table of trivial values with precomputed hashes: a dictionary that neither rehashes nor shares
/// its memory.
///
/// The table does not compare values: the caller decides which of the values with a given hash is meant.
struct ProbingTable<Value: BitwiseCopyable>: ~Copyable {
  // Not private, because the compiler needs its metadata where tables are destroyed.
  struct Slot: BitwiseCopyable {
    var hash: UInt32
    var isFull: Bool
    var value: Value
  }

  private var slots: PlainBuffer<Slot>
  private var used = 0
  private let free: Slot

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - count: The initial number of slots, a power of two; at most half of them are ever full.
  ///   - filler: Any value; it fills free slots.
  init(slots count: Int, filler: Value) {
    free = Slot(hash: 0, isFull: false, value: filler)
    slots = PlainBuffer(minimumCapacity: count)
    slots.append(repeating: free, count: count)
  }

  /// The first value with a given hash that matches; `nil` when there is none.
  @inline(__always)
  func first(of hash: UInt32, where isWanted: (Value) -> Bool) -> Value? {
    let mask = slots.count &- 1
    var index = Int(hash) & mask
    while true {
      let slot = slots[index]
      guard slot.isFull else { return nil }
      if slot.hash == hash, isWanted(slot.value) { return slot.value }
      index = (index &+ 1) & mask
    }
  }

  /// Inserts a value without looking for an existing one.
  mutating func insert(_ value: Value, hash: UInt32) {
    if used * 2 >= slots.count { grow() }
    place(Slot(hash: hash, isFull: true, value: value))
    used += 1
  }

  private mutating func place(_ slot: Slot) {
    let mask = slots.count - 1
    var index = Int(slot.hash) & mask
    while slots[index].isFull { index = (index + 1) & mask }
    slots[index] = slot
  }

  private mutating func grow() {
    var old = PlainBuffer<Slot>(minimumCapacity: slots.count * 4)
    old.append(repeating: free, count: slots.count * 4)
    swap(&old, &slots)
    for index in 0..<old.count where old[index].isFull { place(old[index]) }
  }
}

/// The seed of the hashes in an encoder's tables.
///
/// It is random per process, so that colliding strings cannot be constructed on purpose. No output order depends on it.
enum HashSeed {
  static let value = UInt64.random(in: 0 ... .max)
}
