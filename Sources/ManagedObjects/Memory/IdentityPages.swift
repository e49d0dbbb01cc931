#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory for the pages of an identity table, each with room for the objects of eight keys in a row.
///
/// Pages stay where they are until all of them go. They lie side by side in the order of their making, so
/// going through all objects goes through memory from one end to the other.
struct IdentityPages {
  typealias Reference = Unmanaged<NSManagedObject>
  typealias Page = UnsafeMutablePointer<Reference?>

  /// How many bits of a key tell its place in a page, and how many places there are.
  static let bits = 3
  static let width = 1 << bits

  /// Pieces of memory, the last of which is partly used: each twice as large as the one before, up to a
  /// size that the C library takes from what it has at hand.
  private var slabs: [UnsafeMutableBufferPointer<Reference?>] = []
  private var used = 0

  private static let firstCount = 2 * width
  private static let largestCount = 1024 * width

  /// An empty page.
  @inline(__always)
  mutating func make() -> Page {
    guard let slab = slabs.last, used < slab.count, let start = slab.baseAddress else {
      return makeSlab()
    }
    used += Self.width
    return start + (used - Self.width)
  }

  @inline(never)
  private mutating func makeSlab() -> Page {
    let count = slabs.last.map { min($0.count * 2, Self.largestCount) } ?? Self.firstCount
    // No object is a word of zeros, which new memory mostly has already.
    guard let zeros = calloc(count, MemoryLayout<Reference?>.stride) else {
      preconditionFailure("NSManagedObjectContext: no memory for more objects")
    }
    let start = zeros.bindMemory(to: Reference?.self, capacity: count)
    slabs.append(UnsafeMutableBufferPointer(start: start, count: count))
    used = Self.width
    return start
  }

  /// Whether a page has no object.
  static func isEmpty(_ page: Page) -> Bool {
    for place in 0..<width where page[place] != nil { return false }
    return true
  }

  /// Hands every place that has an object to `body`.
  @inline(__always)
  func forEach(_ body: (Page, Reference) -> Void) {
    for (index, slab) in slabs.enumerated() {
      guard let start = slab.baseAddress else { continue }
      for place in 0..<(index == slabs.count - 1 ? used : slab.count) {
        if let object = start[place] { body(start + place, object) }
      }
    }
  }

  /// Gives all memory back, whatever is in it.
  mutating func removeAll() {
    for slab in slabs { free(slab.baseAddress) }
    (slabs, used) = ([], 0)
  }
}
