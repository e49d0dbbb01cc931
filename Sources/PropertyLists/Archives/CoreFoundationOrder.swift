/// The order in which Core Foundation's dictionaries enumerate their keys.
///
/// Archives contain dictionaries in the order of Foundation's hash tables. Readers can ignore it, but a writer has to
/// reproduce it to match Apple's files byte for byte.
public enum CoreFoundationOrder {
  /// The hash of a string, as Core Foundation computes it on 64-bit systems.
  ///
  /// Only the first, middle and last 32 UTF-16 units of strings longer than 96 are hashed.
  public static func hash(_ string: String) -> UInt64 {
    var string = string
    if let hash = string.withUTF8({ hash(ofShortASCII: $0) }) { return hash }
    var units = Array(string.utf16)
    let length = units.count
    if length > 96 {
      let middle = length / 2 - 16
      units = Array(units[..<32] + units[middle..<middle + 32] + units[(length - 32)...])
    }
    return units.withUnsafeBufferPointer { hash(units: $0, length: length) }
  }

  /// The hash of a short ASCII string; `nil` for all others.
  @inline(__always)
  package static func hash(ofShortASCII utf8: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard utf8.count <= 96 else { return nil }
    var all: UInt8 = 0
    for index in 0..<utf8.count { all |= utf8[index] }
    return all < 0x80 ? hash(units: utf8) : nil
  }

  private static func hash<Unit: FixedWidthInteger>(
    units: UnsafeBufferPointer<Unit>, length: Int? = nil
  ) -> UInt64 {
    let length = length ?? units.count
    var result = UInt64(length)
    var at = 0
    while at &+ 4 <= units.count {
      // 67503105 is 257⁴ modulo 2³²; 64-bit systems use it as well.
      result = result &* 67_503_105 &+ UInt64(units[at]) &* 16_974_593
      result = result &+ UInt64(units[at &+ 1]) &* 66_049 &+ UInt64(units[at &+ 2]) &* 257
      result = result &+ UInt64(units[at &+ 3])
      at &+= 4
    }
    while at < units.count {
      result = result &* 257 &+ UInt64(units[at])
      at &+= 1
    }
    return result &+ (result << UInt64(length & 31))
  }

  /// The order of a dictionary that grew while keys were inserted one by one.
  ///
  /// - Parameter keys: Distinct keys, in insertion order.
  /// - Returns: The positions of the keys in enumeration order.
  public static func grown(_ keys: [String]) -> [Int] {
    grown(hashes: keys.map(hash))
  }

  /// The order of a dictionary allocated for all its keys at once.
  ///
  /// - Parameters:
  ///   - keys: Distinct keys, in the given order.
  ///   - capacity: The least number of keys to allocate for.
  /// - Returns: The positions of the keys in enumeration order.
  public static func sized(_ keys: [String], capacity: Int = 0) -> [Int] {
    sized(hashes: keys.map(hash), capacity: capacity)
  }

  package static func grown(hashes: [UInt64]) -> [Int] {
    guard hashes.count <= Table.mostKeys else { return Array(hashes.indices) }
    var last = 1
    while hashes.count > min(Table.limit(last), Table.size(last)) { last += 1 }
    // Room for the table and for the one it outgrows.
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: Table.size(last + 1) * 2) {
      memory in
      var size = 1
      var table = Table(in: memory, buckets: Table.size(1), isLower: true)
      for position in hashes.indices {
        // The table of 3 buckets may be full; larger ones never are.
        if position == table.count {
          size += 1
          table = table.moved(toBuckets: Table.size(size), hashes, memory)
        }
        table.insert(position, hashes[position])
        if position + 1 > Table.limit(size) {
          size += 1
          table = table.moved(toBuckets: Table.size(size), hashes, memory)
        }
      }
      return table.positions(hashes.count)
    }
  }

  package static func sized(hashes: [UInt64], capacity: Int = 0) -> [Int] {
    guard hashes.count <= Table.mostKeys else { return Array(hashes.indices) }
    var size = 1
    while Table.limit(size) < max(hashes.count, capacity) { size += 1 }
    let buckets = Table.size(size)
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: buckets) { memory in
      var table = Table(in: memory, buckets: buckets, isLower: true)
      for position in hashes.indices { table.insert(position, hashes[position]) }
      return table.positions(hashes.count)
    }
  }
}

/// An open-addressing table with linear probing, in memory provided by the caller.
///
/// Strings with equal hashes are easy to produce. When many collide, the table records for each full bucket a later one
/// from which to continue, so that the search for a free bucket stays short. The bucket that is found stays the same.
private struct Table {
  private let buckets: UnsafeMutableBufferPointer<Int32>
  /// Whether the buckets occupy the start of the memory rather than its end.
  private let isLower: Bool
  /// For each full bucket a later one, with only full buckets between them; for a free bucket itself. Empty until the
  /// first long search.
  private var onward: [Int32] = []

  init(in memory: UnsafeMutableBufferPointer<Int32>, buckets count: Int, isLower: Bool) {
    self.isLower = isLower
    buckets = UnsafeMutableBufferPointer(
      rebasing: isLower ? memory.prefix(count) : memory.suffix(count))
    buckets.initialize(repeating: -1)
  }

  var count: Int { buckets.count }

  mutating func insert(_ position: Int, _ hash: UInt64) {
    var bucket = Int(hash % UInt64(buckets.count))
    if onward.isEmpty {
      var steps = 0
      while buckets[bucket] >= 0, steps < Self.longSearch {
        bucket = following(bucket)
        steps += 1
      }
      if buckets[bucket] >= 0 { makeOnward() }
    }
    if !onward.isEmpty {
      bucket = free(from: bucket)
      onward[bucket] = Int32(following(bucket))
    }
    buckets[bucket] = Int32(truncatingIfNeeded: position)
  }

  private static let longSearch = 64

  private func following(_ bucket: Int) -> Int {
    bucket + 1 == buckets.count ? 0 : bucket + 1
  }

  private mutating func makeOnward() {
    onward = buckets.indices.map { Int32(buckets[$0] < 0 ? $0 : following($0)) }
  }

  /// Finds the first free bucket at or after a start, shortening the paths of those passed on the way.
  private mutating func free(from start: Int) -> Int {
    var bucket = start
    while buckets[bucket] >= 0 {
      let next = Int(onward[bucket])
      onward[bucket] = onward[next]
      bucket = next
    }
    return bucket
  }

  /// A table of another size with the same positions, at the other end of the memory.
  func moved(
    toBuckets count: Int, _ hashes: [UInt64], _ memory: UnsafeMutableBufferPointer<Int32>
  ) -> Table {
    var table = Table(in: memory, buckets: count, isLower: !isLower)
    for position in buckets where position >= 0 {
      table.insert(Int(position), hashes[Int(position)])
    }
    return table
  }

  func positions(_ count: Int) -> [Int] {
    var positions: [Int] = []
    positions.reserveCapacity(count)
    for position in buckets where position >= 0 { positions.append(Int(position)) }
    return positions
  }

  /// The capacity of the largest known table. Larger sets of keys keep the given order.
  static let mostKeys = limits[limits.count - 1]

  static func size(_ index: Int) -> Int { sizes[min(index, sizes.count - 1)] }
  static func limit(_ index: Int) -> Int {
    index < limits.count ? limits[index] : Int.max
  }

  // Core Foundation's bucket counts, and the number of keys each holds before the table grows.
  private static let sizes = [
    0, 3, 7, 13, 23, 41, 71, 127, 191, 251, 383, 631, 1087, 1723, 2803, 4523, 7351, 11959, 19447,
    31231, 50683, 81919, 132_607, 214_519, 346_607, 561_109, 907_759, 1_468_927, 2_376_191,
    3_845_119, 6_221_311, 10_066_421, 16_287_743, 26_354_171,
  ]
  private static let limits = [
    0, 3, 6, 11, 19, 32, 52, 85, 118, 155, 237, 390, 672, 1065, 1732, 2795, 4543, 7391, 12019,
    19302, 31324, 50629, 81956, 132_580, 214_215, 346_784, 561_026, 907_847, 1_468_567, 2_376_414,
    3_844_982, 6_221_390, 10_066_379, 16_287_773,
  ]
}
