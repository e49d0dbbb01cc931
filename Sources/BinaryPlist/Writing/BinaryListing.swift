/// The order in which a graph's nodes stand in a file, and the file made from it.
///
/// Works on the graph's own memory through bare pointers, and writes into memory whose size it has
/// counted before: a file is made at the speed of copying.
struct BinaryListing {
  typealias Node = PropertyListGraph.Node

  private let nodes: UnsafeBufferPointer<Node>
  private let contents: UnsafeBufferPointer<UInt8>
  private let references: UnsafeBufferPointer<UInt32>
  private let root: Int
  /// Nodes in the order of the object table; UIDs and booleans again at each use.
  private var order: [UInt32] = []
  /// How many bytes the objects listed take, but for their references to others.
  private var plainSize = 0
  /// How many references they have.
  private var referenceCount = 0
  /// Where each node, or the first one equal to it, stands in the object table.
  private var position: [UInt32]
  /// Where the first UID of each small number stands.
  private var smallUIDs: [UInt32]
  /// Where the first UID of each other number stands.
  private var largeUIDs: [UInt64: UInt32] = [:]
  private var booleans: [UInt32] = [.max, .max]

  init(
    _ nodes: UnsafeBufferPointer<Node>, _ contents: UnsafeBufferPointer<UInt8>,
    _ references: UnsafeBufferPointer<UInt32>, root: Int
  ) {
    self.nodes = nodes
    self.contents = contents
    self.references = references
    self.root = root
    position = Array(repeating: .max, count: nodes.count)
    // An archive has about as many objects as nodes, so that nearly all numbers are small.
    smallUIDs = Array(repeating: .max, count: nodes.count + 64)
    order.reserveCapacity(nodes.count + references.count / 2)
  }

  /// Where the nodes that a container holds lie.
  private func members(of node: Node) -> Range<Int> {
    let start = Int(node.payload)
    return start..<start + Int(node.count) * (node.marker == .dictionary ? 2 : 1)
  }

  /// The bytes of a node's text, data or wide integer.
  private func bytes(of node: Node) -> UnsafeBufferPointer<UInt8> {
    let start = Int(node.payload)
    let count = Int(node.count) * (node.marker == .utf16 ? 2 : 1)
    return UnsafeBufferPointer(rebasing: contents[start..<start + count])
  }

  /// Lists the nodes depth first from the root.
  mutating func list() {
    var open: [Range<Int>] = []
    if let members = enter(UInt32(root)) { open.append(members) }
    while var members = open.popLast() {
      var inner: Range<Int>?
      var next = members.lowerBound
      while inner == nil, next < members.upperBound {
        inner = enter(references[next])
        next += 1
      }
      members = next..<members.upperBound
      if !members.isEmpty { open.append(members) }
      if let inner { open.append(inner) }
    }
  }

  /// Lists one node.
  ///
  /// - Returns: Where its members lie when they are to be listed next.
  @inline(__always)
  private mutating func enter(_ number: UInt32) -> Range<Int>? {
    let index = Int(number)
    if PropertyListGraph.isInlineUID(index) {
      let value = index ^ PropertyListGraph.inlineUID
      _ = firstUID(UInt64(value))
      order.append(number)
      plainSize += 1 + PropertyListGraph.width(of: value)
      return nil
    }
    let node = nodes[index]
    switch node.marker {
    case .uid:
      if position[index] == .max { position[index] = firstUID(node.payload) }
    case .boolean:
      let value = Int(node.payload & 1)
      if booleans[value] == .max { booleans[value] = UInt32(order.count) }
      position[index] = booleans[value]
    default:
      guard position[index] == .max else { return nil }
      position[index] = UInt32(order.count)
    }
    order.append(number)
    plainSize += plainLength(of: node)
    guard node.marker.isContainer else { return nil }
    let members = members(of: node)
    referenceCount += members.count
    return members.isEmpty ? nil : members
  }

  /// Where the first UID of a number stands: here, when there was none before.
  private mutating func firstUID(_ number: UInt64) -> UInt32 {
    let here = UInt32(order.count)
    if number < UInt64(smallUIDs.count) {
      let known = smallUIDs[Int(number)]
      if known == .max { smallUIDs[Int(number)] = here }
      return min(known, here)
    }
    if let known = largeUIDs[number] { return known }
    largeUIDs[number] = here
    return here
  }

  /// Makes the file of the nodes listed.
  func write() -> [UInt8] {
    let referenceWidth = PropertyListGraph.width(of: order.count)
    var size = BinaryPropertyList.magic.count + plainSize + referenceCount * referenceWidth
    let table = size
    let offsetWidth = PropertyListGraph.width(of: table)
    size += order.count * offsetWidth + 32
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      var out = BinaryOutput(buffer)
      out.put(BinaryPropertyList.magic)
      var offsets = BinaryOutput(
        UnsafeMutableBufferPointer(rebasing: buffer[table...]))
      for index in order {
        offsets.put(UInt64(out.count), width: offsetWidth)
        if PropertyListGraph.isInlineUID(Int(index)) {
          writeUID(UInt64(Int(index) ^ PropertyListGraph.inlineUID), to: &out)
        } else {
          write(nodes[Int(index)], referenceWidth, to: &out)
        }
      }
      offsets.put([0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)])
      offsets.put(UInt64(order.count), width: 8)
      offsets.put(0, width: 8)
      offsets.put(UInt64(table), width: 8)
      count = size
    }
  }

  /// How many bytes a node takes in the file, but for references to others.
  @inline(__always)
  private func plainLength(of node: Node) -> Int {
    switch node.marker {
    case .null, .boolean, .invalid: return 1
    case .integer, .real: return 1 + Int(node.width)
    case .date: return 9
    case .uid: return 1 + PropertyListGraph.width(of: Int(truncatingIfNeeded: node.payload))
    default: break
    }
    let count = Int(node.count)
    let header = count < 15 ? 1 : 2 + PropertyListGraph.width(of: count)
    switch node.marker {
    case .utf16: return header + count * 2
    case .array, .set, .dictionary: return header
    default: return header + count
    }
  }

  /// Where a node stands in the object table.
  @inline(__always)
  private func position(of number: UInt32) -> UInt32 {
    let index = Int(number)
    guard PropertyListGraph.isInlineUID(index) else { return position[index] }
    let value = index ^ PropertyListGraph.inlineUID
    return value < smallUIDs.count ? smallUIDs[value] : largeUIDs[UInt64(value)] ?? 0
  }

  private func writeUID(_ number: UInt64, to out: inout BinaryOutput) {
    let width = PropertyListGraph.width(of: Int(truncatingIfNeeded: number))
    out.put(0x80 | UInt8(width - 1))
    out.put(number, width: width)
  }

  private func write(_ node: Node, _ referenceWidth: Int, to out: inout BinaryOutput) {
    switch node.marker {
    case .null, .invalid: out.put(0x00)
    case .boolean: out.put(node.payload == 0 ? 0x08 : 0x09)
    case .integer:
      out.put(0x10 | UInt8(node.width.trailingZeroBitCount))
      if node.width == 16 {
        out.put(bytes(of: node))
      } else {
        out.put(node.payload, width: Int(node.width))
      }
    case .real:
      out.put(node.width == 4 ? 0x22 : 0x23)
      out.put(node.payload, width: Int(node.width))
    case .date:
      out.put(0x33)
      out.put(node.payload, width: 8)
    case .data, .ascii, .utf16:
      out.putHeader(
        node.marker == .data ? 0x40 : node.marker == .ascii ? 0x50 : 0x60, count: Int(node.count))
      out.put(bytes(of: node))
    case .uid: writeUID(node.payload, to: &out)
    case .array, .set, .dictionary:
      out.putHeader(
        node.marker == .array ? 0xA0 : node.marker == .set ? 0xC0 : 0xD0, count: Int(node.count))
      for index in members(of: node) {
        out.put(UInt64(position(of: references[index])), width: referenceWidth)
      }
    }
  }
}
