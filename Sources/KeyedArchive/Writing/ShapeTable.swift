/// The shapes of an archive's dictionaries, found by a hash of their keys.
struct ShapeTable: ~Copyable {
  // Not private, since the compiler cannot do without its metadata where tables go.
  struct Slot: BitwiseCopyable {
    var hash: UInt64
    /// The shape's number; below zero in a free slot.
    var shape: Int
  }

  private var slots = PlainBuffer<Slot>(minimumCapacity: 64)
  private var used = 0
  /// What the hash of a row of keys begins with.
  var seed: UInt64 { HashSeed.value }

  private static let free = Slot(hash: 0, shape: -1)

  init() {
    slots.append(repeating: Self.free, count: 64)
  }

  /// The first shape of a hash that is the one looked for; `nil` when there is none.
  @inline(__always)
  func first(of hash: UInt64, where isWanted: (Int) -> Bool) -> Int? {
    let mask = slots.count &- 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let slot = slots[index]
      if slot.shape < 0 { return nil }
      if slot.hash == hash, isWanted(slot.shape) { return slot.shape }
      index = (index &+ 1) & mask
    }
  }

  /// Notes a new shape.
  mutating func insert(_ shape: Int, hash: UInt64) {
    if used * 2 >= slots.count { grow() }
    place(Slot(hash: hash, shape: shape))
    used += 1
  }

  private mutating func place(_ slot: Slot) {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: slot.hash) & mask
    while slots[index].shape >= 0 { index = (index + 1) & mask }
    slots[index] = slot
  }

  private mutating func grow() {
    var old = PlainBuffer<Slot>(minimumCapacity: slots.count * 4)
    old.append(repeating: Self.free, count: slots.count * 4)
    swap(&old, &slots)
    for index in 0..<old.count where old[index].shape >= 0 { place(old[index]) }
  }
}
