extension PropertyListGraph {
  /// The graph as a binary property list, byte for byte as Core Foundation writes it.
  ///
  /// Objects are listed depth first from the root, each before what it holds, a dictionary's keys
  /// before its values. Every node stands once, wherever it is used, but for booleans and UIDs:
  /// those are listed at every use, and every use refers to the first that is equal.
  public func binary() -> [UInt8] {
    guard nodes.indices.contains(root) else { return PropertyListGraph.emptyDictionary.binary() }
    var listing = BinaryListing(self)
    listing.list()
    return listing.write()
  }

  private static let emptyDictionary: PropertyListGraph = {
    var graph = PropertyListGraph()
    graph.root = graph.add(dictionary: EmptyCollection(), values: EmptyCollection())
    return graph
  }()
}

/// The order in which a graph's nodes stand in a file, and the file made from it.
private struct BinaryListing {
  let graph: PropertyListGraph
  /// Nodes in the order of the object table; UIDs and booleans again at each use.
  private var order: [UInt32] = []
  /// Where each node, or the first one equal to it, stands in the object table.
  private var position: [UInt32]
  /// Where the first UID of each number stands.
  private var uids: [UInt64: UInt32] = [:]
  private var booleans: [UInt32?] = [nil, nil]

  init(_ graph: PropertyListGraph) {
    self.graph = graph
    position = Array(repeating: .max, count: graph.nodes.count)
    order.reserveCapacity(graph.nodes.count)
    uids.reserveCapacity(graph.nodes.count / 4)
  }

  mutating func list() {
    var stack = [UInt32(graph.root)]
    while let index = stack.popLast() {
      let node = graph.nodes[Int(index)]
      switch node.marker {
      case .uid:
        if position[Int(index)] == .max {
          let first = uids[node.payload] ?? UInt32(order.count)
          uids[node.payload] = first
          position[Int(index)] = first
        }
        order.append(index)
      case .boolean:
        let first = booleans[Int(node.payload & 1)] ?? UInt32(order.count)
        booleans[Int(node.payload & 1)] = first
        position[Int(index)] = first
        order.append(index)
      default:
        guard position[Int(index)] == .max else { continue }
        position[Int(index)] = UInt32(order.count)
        order.append(index)
        if node.marker.isContainer {
          stack.append(contentsOf: graph.members(of: node).reversed())
        }
      }
    }
  }

  func write() -> [UInt8] {
    let referenceWidth = PropertyListGraph.width(of: order.count)
    var out: [UInt8] = []
    out.reserveCapacity(
      graph.contents.count + graph.references.count * referenceWidth + order.count * 6 + 64)
    out.append(contentsOf: BinaryPropertyList.magic)
    var offsets: [UInt32] = []
    offsets.reserveCapacity(order.count)
    for index in order {
      offsets.append(UInt32(truncatingIfNeeded: out.count))
      write(graph.nodes[Int(index)], referenceWidth, to: &out)
    }
    let table = out.count
    let offsetWidth = PropertyListGraph.width(of: table)
    for offset in offsets { out.appendBigEndian(UInt64(offset), width: offsetWidth) }
    out.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)])
    out.appendBigEndian(UInt64(order.count), width: 8)
    out.appendBigEndian(0, width: 8)
    out.appendBigEndian(UInt64(table), width: 8)
    return out
  }

  private func write(
    _ node: PropertyListGraph.Node, _ referenceWidth: Int, to out: inout [UInt8]
  ) {
    switch node.marker {
    case .null, .invalid: out.append(0x00)
    case .boolean: out.append(node.payload == 0 ? 0x08 : 0x09)
    case .integer:
      out.append(0x10 | UInt8(node.width.trailingZeroBitCount))
      if node.width == 16 {
        out.append(contentsOf: graph.bytes(of: node))
      } else {
        out.appendBigEndian(node.payload, width: Int(node.width))
      }
    case .real:
      out.append(node.width == 4 ? 0x22 : 0x23)
      out.appendBigEndian(node.payload, width: Int(node.width))
    case .date:
      out.append(0x33)
      out.appendBigEndian(node.payload, width: 8)
    case .data, .ascii, .utf16:
      out.appendHeader(
        node.marker == .data ? 0x40 : node.marker == .ascii ? 0x50 : 0x60, count: Int(node.count))
      out.append(contentsOf: graph.bytes(of: node))
    case .uid:
      let width = PropertyListGraph.width(of: Int(truncatingIfNeeded: node.payload))
      out.append(0x80 | UInt8(width - 1))
      out.appendBigEndian(node.payload, width: width)
    case .array, .set, .dictionary:
      out.appendHeader(
        node.marker == .array ? 0xA0 : node.marker == .set ? 0xC0 : 0xD0, count: Int(node.count))
      for member in graph.members(of: node) {
        out.appendBigEndian(UInt64(position[Int(member)]), width: referenceWidth)
      }
    }
  }
}

extension [UInt8] {
  /// Appends a number's last bytes, the highest first.
  @inline(__always)
  fileprivate mutating func appendBigEndian(_ value: UInt64, width: Int) {
    switch width {
    case 1: append(UInt8(truncatingIfNeeded: value))
    case 2:
      append(UInt8(truncatingIfNeeded: value >> 8))
      append(UInt8(truncatingIfNeeded: value))
    default:
      for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
        append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
      }
    }
  }

  /// Appends a marker with its count, in an integer of its own from 15 on.
  fileprivate mutating func appendHeader(_ marker: UInt8, count: Int) {
    if count < 15 {
      append(marker | UInt8(count))
    } else {
      append(marker | 15)
      let width = PropertyListGraph.width(of: count)
      append(0x10 | UInt8(width.trailingZeroBitCount))
      appendBigEndian(UInt64(count), width: width)
    }
  }
}
