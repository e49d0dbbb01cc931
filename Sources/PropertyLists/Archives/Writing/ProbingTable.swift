/// An open-addressing table of plain values with hashes of their own: what a dictionary does, without
/// hashing again and without sharing its memory.
///
/// It knows no equality: who asks tells which of the values of a hash is meant.
struct ProbingTable<Value: BitwiseCopyable>: ~Copyable {
  // Not private, since the compiler cannot do without its metadata where tables go.
  struct Slot: BitwiseCopyable {
    var hash: UInt32
    var isFull: Bool
    var value: Value
  }

  private var slots: PlainBuffer<Slot>
  private var used = 0
  private let free: Slot

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - count: How many slots it begins with, a power of two; half of them are ever full.
  ///   - filler: Any value; it stands in free slots.
  init(slots count: Int, filler: Value) {
    free = Slot(hash: 0, isFull: false, value: filler)
    slots = PlainBuffer(minimumCapacity: count)
    slots.append(repeating: free, count: count)
  }

  /// The first value of a hash that is the one looked for; `nil` when there is none.
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

  /// Adds a value, which is not looked for before.
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

/// What the hashes of an encoder's tables begin with.
///
/// One of the process, so that texts of one hash cannot be made on purpose. No order depends on it.
enum HashSeed {
  static let value = UInt64.random(in: 0 ... .max)
}
