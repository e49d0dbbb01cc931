/// A hash table keyed by name that doesn't read the characters: a short string is two machine words, and equal words
/// are equal strings.
///
/// Strings that Swift doesn't store in the words themselves (longer than 15 bytes) aren't found; the caller then uses
/// a dictionary. The table's owner keeps the values alive.
final class NameTable<Thing: AnyObject>: @unchecked Sendable {
  // Sendable: immutable.
  private struct Entry {
    var words: (UInt64, UInt64)
    var thing: Unmanaged<Thing>?
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let mask: Int
  /// Retains the names, whose words the table uses.
  private let names: [String]

  init(_ things: [String: Thing]) {
    var size = 4
    while size < things.count * 4 { size *= 2 }
    mask = size - 1
    entries = .allocate(capacity: size)
    entries.initialize(repeating: Entry(words: (0, 0), thing: nil), count: size)
    guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else {
      names = []
      return
    }
    var names: [String] = []
    names.reserveCapacity(things.count)
    for (key, thing) in things {
      // A newly created short name has the same small form as a string literal.
      let name = String(decoding: Array(key.utf8), as: UTF8.self)
      names.append(name)
      let words = Self.words(name)
      var index = Self.hash(words) & mask
      while entries[index].thing != nil { index = (index + 1) & mask }
      entries[index] = Entry(words: words, thing: .passUnretained(thing))
    }
    self.names = names
  }

  deinit { entries.deallocate() }

  @inline(__always)
  private static func words(_ name: String) -> (UInt64, UInt64) {
    unsafeBitCast(name, to: (UInt64, UInt64).self)
  }

  @inline(__always)
  private static func hash(_ words: (UInt64, UInt64)) -> Int {
    let mixed = (words.0 ^ (words.1 &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
    return Int(truncatingIfNeeded: mixed >> 40)
  }

  /// The value for a name; nil also for a name that is too long.
  @inline(__always)
  subscript(name: String) -> Thing? { reference(name)?.takeUnretainedValue() }

  /// The same without retaining the value.
  @inline(__always)
  func reference(_ name: String) -> Unmanaged<Thing>? {
    guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return nil }
    let words = Self.words(name)
    var index = Self.hash(words) & mask
    while let thing = entries[index].thing {
      if entries[index].words == words { return thing }
      index = (index + 1) & mask
    }
    return nil
  }
}
