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
    // An archive has fewer objects than nodes, so that nearly all numbers are small.
    smallUIDs = Array(repeating: .max, count: nodes.count)
    order.reserveCapacity(nodes.count)
  }

  /// The nodes a container holds.
  private func members(of node: Node) -> UnsafeBufferPointer<UInt32> {
    let start = Int(node.payload)
    let count = Int(node.count) * (node.marker == .dictionary ? 2 : 1)
    return UnsafeBufferPointer(rebasing: references[start..<start + count])
  }

  /// The bytes of a node's text, data or wide integer.
  private func bytes(of node: Node) -> UnsafeBufferPointer<UInt8> {
    let start = Int(node.payload)
    let count = Int(node.count) * (node.marker == .utf16 ? 2 : 1)
    return UnsafeBufferPointer(rebasing: contents[start..<start + count])
  }

  /// Lists the nodes depth first from the root.
  mutating func list() {
    var stack = [UInt32(root)]
    while let index = stack.popLast() {
      let node = nodes[Int(index)]
      switch node.marker {
      case .uid:
        if position[Int(index)] == .max { position[Int(index)] = firstUID(node.payload) }
        order.append(index)
      case .boolean:
        let value = Int(node.payload & 1)
        if booleans[value] == .max { booleans[value] = UInt32(order.count) }
        position[Int(index)] = booleans[value]
        order.append(index)
      default:
        guard position[Int(index)] == .max else { continue }
        position[Int(index)] = UInt32(order.count)
        order.append(index)
        guard node.marker.isContainer else { continue }
        let members = members(of: node)
        for position in members.indices.reversed() { stack.append(members[position]) }
      }
    }
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
    var size = BinaryPropertyList.magic.count
    for index in order { size += length(of: nodes[Int(index)], referenceWidth) }
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
        write(nodes[Int(index)], referenceWidth, to: &out)
      }
      offsets.put([0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)])
      offsets.put(UInt64(order.count), width: 8)
      offsets.put(0, width: 8)
      offsets.put(UInt64(table), width: 8)
      count = size
    }
  }

  /// How many bytes a node takes in the file.
  private func length(of node: Node, _ referenceWidth: Int) -> Int {
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
    case .array, .set: return header + count * referenceWidth
    case .dictionary: return header + count * 2 * referenceWidth
    default: return header + count
    }
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
    case .uid:
      let width = PropertyListGraph.width(of: Int(truncatingIfNeeded: node.payload))
      out.put(0x80 | UInt8(width - 1))
      out.put(node.payload, width: width)
    case .array, .set, .dictionary:
      out.putHeader(
        node.marker == .array ? 0xA0 : node.marker == .set ? 0xC0 : 0xD0, count: Int(node.count))
      for member in members(of: node) {
        out.put(UInt64(position[Int(member)]), width: referenceWidth)
      }
    }
  }
}
