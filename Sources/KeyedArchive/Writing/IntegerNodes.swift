/// The nodes of integers, of which the small ones are used all the time.
struct IntegerNodes: ~Copyable {
  private var small = PlainBuffer<Int32>(minimumCapacity: 1)
  private var others: [Int: Int] = [:]
  // The types of attributes are among them; the highest is 2100.
  private static var smallCount: Int { 2_304 }

  /// The node of an integer; `nil` when it has none yet.
  @inline(__always)
  func node(of value: Int) -> Int? {
    guard value >= 0 && value < small.count else { return others[value] }
    let node = small[value]
    return node < 0 ? nil : Int(node)
  }

  /// Notes the node of an integer.
  mutating func insert(_ value: Int, node: Int) {
    if value >= 0 && value < Self.smallCount {
      if small.count == 0 { small.append(repeating: -1, count: Self.smallCount) }
      small[value] = Int32(truncatingIfNeeded: node)
    } else {
      others[value] = node
    }
  }
}
