#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory for the pages of an identity table. Each page holds the objects of eight consecutive keys.
///
/// Pages don't move until all are freed. They are contiguous in order of creation, so iterating over all objects
/// walks memory from one end to the other.
struct IdentityPages {
  typealias Reference = Unmanaged<NSManagedObject>
  typealias Page = UnsafeMutablePointer<Reference?>

  /// The number of key bits that give the offset in a page, and the size of a page.
  static let bits = 3
  static let width = 1 << bits

  /// Memory slabs, the last of which is partly used. Each is twice as large as the one before, up to a size that the
  /// C library serves without asking the system.
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
    // All zero bits mean "no object", and fresh memory is mostly zero already.
    guard let zeros = calloc(count, MemoryLayout<Reference?>.stride) else {
      preconditionFailure("NSManagedObjectContext: no memory for more objects")
    }
    let start = zeros.bindMemory(to: Reference?.self, capacity: count)
    slabs.append(UnsafeMutableBufferPointer(start: start, count: count))
    used = Self.width
    return start
  }

  /// Whether a page holds no object.
  static func isEmpty(_ page: Page) -> Bool {
    for place in 0..<width where page[place] != nil { return false }
    return true
  }

  /// Calls `body` with every occupied slot.
  @inline(__always)
  func forEach(_ body: (Page, Reference) -> Void) {
    for (index, slab) in slabs.enumerated() {
      guard let start = slab.baseAddress else { continue }
      for place in 0..<(index == slabs.count - 1 ? used : slab.count) {
        if let object = start[place] { body(start + place, object) }
      }
    }
  }

  /// Frees all memory, whatever it contains.
  mutating func removeAll() {
    for slab in slabs { free(slab.baseAddress) }
    (slabs, used) = ([], 0)
  }
}
