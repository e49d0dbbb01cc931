/// The nodes of integers, with fast access to the most frequent ones: small integers, and the round hundreds that
/// identify attribute types.
struct IntegerNodes: ~Copyable {
  private var known = PlainBuffer<Int32>(minimumCapacity: 1)
  private var others: [Int: Int] = [:]

  private static var smallCount: Int { 256 }
  private static var hundredCount: Int { 32 }

  /// The index of a frequent integer's node; `nil` for other integers.
  @inline(__always)
  private static func place(of value: Int) -> Int? {
    guard value >= 0 else { return nil }
    if value < smallCount { return value }
    let (hundreds, rest) = value.quotientAndRemainder(dividingBy: 100)
    return rest == 0 && hundreds < hundredCount ? smallCount &+ hundreds : nil
  }

  /// The node of an integer; `nil` when it has none yet.
  @inline(__always)
  func node(of value: Int) -> Int? {
    guard let place = Self.place(of: value) else { return others[value] }
    guard known.count > 0 else { return nil }
    let node = known[place]
    return node < 0 ? nil : Int(node)
  }

  /// Records the node of an integer.
  mutating func insert(_ value: Int, node: Int) {
    guard let place = Self.place(of: value) else {
      others[value] = node
      return
    }
    if known.count == 0 {
      known.append(repeating: -1, count: Self.smallCount + Self.hundredCount)
    }
    known[place] = Int32(truncatingIfNeeded: node)
  }
}
