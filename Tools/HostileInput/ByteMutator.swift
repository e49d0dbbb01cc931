/// Creates damaged files from valid ones, deterministically for each number.
///
/// Besides random bytes, it targets what controls a reader of binary property lists: markers, counts, references, the
/// offset table and the trailer.
public struct ByteMutator: Sendable {
  /// The valid files.
  public let files: [[UInt8]]
  /// The seed, which together with a mutation's number determines all choices.
  public let seed: UInt64

  /// Creates a mutator for valid files.
  public init(files: [[UInt8]], seed: UInt64) {
    self.files = files.filter { !$0.isEmpty }
    self.seed = seed
  }

  /// Returns the mutation with the given number, or an empty array if there are no files.
  public func mutation(_ number: Int) -> [UInt8] {
    var random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ UInt64(truncatingIfNeeded: number))
    guard var bytes = random.pick(files) else { return [] }
    for _ in 0..<(random.pick([1, 1, 1, 2, 2, 3, 5, 8]) ?? 1) {
      if bytes.isEmpty { break }
      if random.chance(45), let layout = Layout(bytes) {
        damage(&bytes, layout, &random)
      } else {
        damage(&bytes, &random)
      }
    }
    return bytes
  }

  private static let interesting: [UInt8] = [
    0x00, 0x01, 0x08, 0x09, 0x0F, 0x10, 0x13, 0x14, 0x1F, 0x22, 0x23, 0x33, 0x4F, 0x50, 0x5F, 0x60,
    0x6F, 0x7F, 0x80, 0x87, 0xA0, 0xAF, 0xC1, 0xD0, 0xD1, 0xDF, 0xFE, 0xFF,
  ]

  // MARK: Bytes anywhere

  private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = random.number(0...bytes.count - 1)
    let length = min(random.number(1...16), bytes.count - place)
    switch random.number(0...9) {
    case 0...2: bytes[place] ^= 1 << UInt8(random.number(0...7))
    case 3: bytes[place] = random.pick(Self.interesting) ?? 0
    case 4: bytes[place] = UInt8(random.number(0...255))
    case 5: bytes.removeSubrange(place..<place + length)
    case 6:
      bytes.insert(contentsOf: (0..<length).map { _ in UInt8(random.number(0...255)) }, at: place)
    case 7: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
    case 8:
      let other = random.number(0...bytes.count - length)
      for index in 0..<length { bytes[place + index] = bytes[other + index] }
    default:
      if random.chance(20) {
        bytes.removeLast(bytes.count - place)
      } else if let other = random.pick(files) {
        let from = random.number(0...other.count - 1)
        let count = min(random.number(1...64), other.count - from, bytes.count - place)
        bytes.replaceSubrange(place..<place + count, with: other[from..<from + count])
      }
    }
  }

  // MARK: The structure of a binary property list

  /// The layout of a property list, as far as its trailer is plausible.
  private struct Layout {
    let offsetWidth: Int
    let referenceWidth: Int
    let count: Int
    let table: Int

    init?(_ bytes: [UInt8]) {
      guard bytes.count > 40, bytes.starts(with: "bplist00".utf8) else { return nil }
      let trailer = bytes.count - 32
      offsetWidth = Int(bytes[trailer + 6])
      referenceWidth = Int(bytes[trailer + 7])
      count = Self.number(bytes, trailer + 12, 4)
      table = Self.number(bytes, trailer + 28, 4)
      guard (1...4).contains(offsetWidth), (1...4).contains(referenceWidth), count > 0,
        table + count * offsetWidth <= trailer
      else { return nil }
    }

    func offset(of object: Int, _ bytes: [UInt8]) -> Int? {
      let offset = Self.number(bytes, table + object * offsetWidth, offsetWidth)
      return offset < table ? offset : nil
    }

    private static func number(_ bytes: [UInt8], _ at: Int, _ width: Int) -> Int {
      bytes[at..<at + width].reduce(0) { $0 << 8 | Int($1) }
    }
  }

  private func damage(_ bytes: inout [UInt8], _ layout: Layout, _ random: inout SeededGenerator) {
    let object = random.number(0...layout.count - 1)
    guard let start = layout.offset(of: object, bytes) else { return }
    switch random.number(0...7) {
    case 0: bytes[start] = random.pick(Self.interesting) ?? 0
    case 1: bytes[start] = bytes[start] & 0xF0 | UInt8(random.number(0...15))
    case 2, 3:
      // A byte of an object's contents: usually a reference, a count or a UID.
      let place = min(start + random.number(1...12), layout.table - 1)
      bytes[place] =
        random.chance(50) ? UInt8(random.number(0...255)) : bytes[place] &+ 1
    case 4:
      // Replaces this object with another.
      let other = layout.table + random.number(0...layout.count - 1) * layout.offsetWidth
      let own = layout.table + object * layout.offsetWidth
      for index in 0..<layout.offsetWidth { bytes[own + index] = bytes[other + index] }
    case 5:
      let place = layout.table + object * layout.offsetWidth
      bytes[place + random.number(0...layout.offsetWidth - 1)] = UInt8(random.number(0...255))
    case 6: bytes[bytes.count - random.number(1...32)] = random.pick(Self.interesting) ?? 0
    default:
      // Swaps two objects.
      let other = layout.table + random.number(0...layout.count - 1) * layout.offsetWidth
      let own = layout.table + object * layout.offsetWidth
      for index in 0..<layout.offsetWidth { bytes.swapAt(own + index, other + index) }
    }
  }
}
