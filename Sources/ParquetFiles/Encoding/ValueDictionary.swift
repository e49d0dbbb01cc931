/// The different values of a column of varying length, in the order in which they first occur, and the place of each
/// row's value among them.
struct ValueDictionary {
  /// The different values, as a page has them.
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0
  /// The place of each value in the dictionary.
  private(set) var places: [UInt32] = []

  /// The bits of a place in the dictionary.
  var placeWidth: Int { max(1, HybridEncoding.width(ofNumbersUpTo: count - 1)) }

  /// The largest dictionary in bytes, as other writers have it: readers keep all of it in memory.
  private static let largestSize = 1 << 20

  /// Returns nil where a dictionary isn't worth it: where it would become too large, or values repeat less than once on
  /// average.
  init?(_ values: ColumnValues) {
    var table = [UInt32](repeating: .max, count: 1 << 10)
    var starts: [Int] = []
    places.reserveCapacity(values.ends.count)
    for value in values.ends.indices {
      let range = values.byteRange(of: value)
      let text = values.bytes[range]
      var slot = Self.hash(text) & (table.count - 1)
      while table[slot] != .max {
        let start = starts[Int(table[slot])]
        // The lengths are in the first bytes, so that a value is never equal to the beginning of another.
        if start + text.count <= bytes.count, bytes[start..<start + text.count] == text { break }
        slot = (slot + 1) & (table.count - 1)
      }
      if table[slot] == .max {
        guard bytes.count + text.count <= Self.largestSize, count <= 512 || 2 * count <= value
        else {
          return nil
        }
        table[slot] = UInt32(count)
        starts.append(bytes.count)
        bytes.append(contentsOf: text)
        count += 1
        places.append(UInt32(count - 1))
        if count * 2 > table.count { table = Self.grown(table, starts: starts, bytes: bytes) }
      } else {
        places.append(table[slot])
      }
    }
    guard count > 0, 2 * count <= values.ends.count else { return nil }
  }

  private static func grown(_ table: [UInt32], starts: [Int], bytes: [UInt8]) -> [UInt32] {
    var result = [UInt32](repeating: .max, count: 4 * table.count)
    for (place, start) in starts.enumerated() {
      let end = place + 1 < starts.count ? starts[place + 1] : bytes.count
      var slot = hash(bytes[start..<end]) & (result.count - 1)
      while result[slot] != .max { slot = (slot + 1) & (result.count - 1) }
      result[slot] = UInt32(place)
    }
    return result
  }

  /// FNV-1a, eight bytes at a time. Many texts of one hash make a file take longer, and no more.
  private static func hash(_ text: ArraySlice<UInt8>) -> Int {
    var (hash, word, count) = (UInt64(0xCBF2_9CE4_8422_2325), UInt64(0), 0)
    for byte in text {
      word = word << 8 | UInt64(byte)
      count &+= 1
      if count == 8 {
        hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
        (word, count) = (0, 0)
      }
    }
    hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> 29
    return Int(truncatingIfNeeded: hash & 0x7FFF_FFFF)
  }
}
