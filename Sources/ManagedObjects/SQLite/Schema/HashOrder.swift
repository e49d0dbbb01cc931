/// The order in which Core Data visits an entity's relationships when it decides which side of a many-to-many pair
/// names the join table.
///
/// It is the enumeration order of two old dictionary implementations with the names of the entity's properties, and
/// still used because files depend on it. It only matters if both sides of a pair are in one hierarchy, or if join
/// columns compete for the same name.
enum HashOrder {
  /// An open-addressing hash set of names whose slot count is a power of two.
  struct GrowingTable {
    private struct Entry {
      let name: String
      let hash: UInt32
    }

    private var slots: [Entry?] = []
    private var count = 0
    private var capacity = 3

    /// The names, in slot order.
    var names: [String] { slots.compactMap { $0?.name } }

    /// Adds a name; an existing one keeps its slot.
    mutating func insert(_ name: String) {
      if count == capacity || slots.isEmpty { grow() }
      if place(Entry(name: name, hash: mixed(longHash(name)))) { count += 1 }
    }

    private mutating func grow() {
      let old = slots
      // 3, 6, 12, … names in 4, 8, 16, … slots.
      capacity = 3 << Self.bitWidth(count / 3)
      slots = Array(repeating: nil, count: 4 << Self.bitWidth((capacity - 1) / 3))
      for case let entry? in old { _ = place(entry) }
    }

    private mutating func place(_ entry: Entry) -> Bool {
      var index = Int(entry.hash) & (slots.count - 1)
      while let present = slots[index] {
        if present.hash == entry.hash, present.name == entry.name { return false }
        index = (index + 1) % slots.count
      }
      slots[index] = entry
      return true
    }

    private static func bitWidth(_ value: Int) -> Int {
      Int.bitWidth - value.leadingZeroBitCount
    }
  }

  /// `names` in the slot order of a hash table with a prime number of slots.
  static func primeTableOrder(_ names: [String]) -> [String] {
    let slotCount = primeSlotCount(for: names.count)
    var slots = [String?](repeating: nil, count: slotCount)
    for name in names {
      var index = Int(shortHash(name)) % slotCount
      while slots[index] != nil { index = (index + 1) % slotCount }
      slots[index] = name
    }
    return slots.compactMap { $0 }
  }

  private static let primeSizes: [(limit: Int, slots: Int)] = [
    (4, 5), (8, 11), (17, 23), (29, 41), (47, 67), (76, 113), (123, 199), (199, 317), (322, 521),
    (521, 839), (843, 1361), (1364, 2207), (2207, 3571), (3571, 5779), (5778, 9349),
    (9349, 15121),
  ]

  private static func primeSlotCount(for count: Int) -> Int {
    // Above the known sizes (nearly ten thousand properties in one entity) any size will do.
    primeSizes.first { count <= $0.limit }?.slots ?? count * 2 + 1
  }

  // MARK: Hashes

  /// The newer string hash: of the whole name up to 96 units, otherwise of three windows of 32 units.
  private static func longHash(_ name: String) -> UInt32 {
    let length = name.utf16.count
    guard length > 96 else { return hash(name, length: length) }
    let units = Array(name.utf16)
    let middle = length / 2
    return hash(
      units.prefix(32) + units[middle - 16..<middle + 16] + units.suffix(32), length: length)
  }

  /// The older string hash: of the whole name up to 23 units, otherwise of the first 8 and the last 16 units.
  private static func shortHash(_ name: String) -> UInt32 {
    let length = name.utf16.count
    guard length > 23 else { return hash(name, length: length) }
    let units = Array(name.utf16)
    return hash(units.prefix(8) + units.suffix(16), length: length)
  }

  private static func hash(_ name: String, length: Int) -> UInt32 {
    // The bytes of ASCII are its units.
    name.utf8.count == length
      ? hash(name.utf8, length: length) : hash(name.utf16, length: length)
  }

  private static func hash(
    _ units: some Sequence<some FixedWidthInteger>, length: Int
  ) -> UInt32 {
    var hash = UInt32(truncatingIfNeeded: length)
    for unit in units { hash = hash &* 257 &+ UInt32(truncatingIfNeeded: unit) }
    return hash &+ (hash << UInt32(length & 31))
  }

  /// The third word of Bob Jenkins' mix of three words.
  private static func mixed(_ hash: UInt32) -> UInt32 {
    let key: UInt32 = 0x4B61_6E65
    var (a, b, c) = (hash &+ key, key, UInt32(1))
    func mix(right: UInt32, left: UInt32, rightAgain: UInt32) {
      a = (a &- b &- c) ^ (c >> right)
      b = (b &- c &- a) ^ (a << left)
      c = (c &- a &- b) ^ (b >> rightAgain)
    }
    mix(right: 13, left: 8, rightAgain: 13)
    mix(right: 12, left: 16, rightAgain: 5)
    mix(right: 3, left: 10, rightAgain: 15)
    return c
  }
}
