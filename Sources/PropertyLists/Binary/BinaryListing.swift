/// The order in which a graph's nodes appear in a file, and the file written from it.
///
/// Accesses the graph's memory and its own through raw pointers, and writes into memory whose size it has computed
/// beforehand, so a file is produced at the speed of copying. Every index it follows comes from the graph, in which a
/// node can only refer to nodes that already existed.
struct BinaryListing: ~Copyable {
  typealias Node = PropertyListGraph.Node

  private let nodes: UnsafeBufferPointer<Node>
  private let contents: UnsafeBufferPointer<UInt8>
  private let references: UnsafeBufferPointer<UInt32>
  private let root: UInt32
  /// Nodes in the order of the object table, with UIDs and booleans repeated at each use. Each container is entered
  /// only once, so that there are at most as many entries as references, plus the root.
  private let order: UnsafeMutablePointer<UInt32>
  private var listed = 0
  /// The size in bytes of the listed objects, excluding their references to others.
  private var plainSize = 0
  /// The number of references they have.
  private var referenceCount = 0
  /// The position of each node in the object table, except for UIDs and booleans.
  private let position: UnsafeMutablePointer<UInt32>
  /// The position of the first UID for each small number.
  private let smallUIDs: UnsafeMutablePointer<UInt32>
  private let smallUIDCount: Int
  /// The position of the first UID for each other number.
  private var largeUIDs: [UInt64: UInt32] = [:]
  private var booleans: (UInt32, UInt32) = (.max, .max)

  init(
    nodes: UnsafeBufferPointer<Node>, contents: UnsafeBufferPointer<UInt8>,
    references: UnsafeBufferPointer<UInt32>, root: Int
  ) {
    self.nodes = nodes
    self.contents = contents
    self.references = references
    self.root = UInt32(root)
    // An archive has about as many objects as nodes, so nearly all numbers are small.
    smallUIDCount = nodes.count + 64
    order = .allocate(capacity: references.count + 1)
    position = .allocate(capacity: nodes.count)
    position.initialize(repeating: .max, count: nodes.count)
    smallUIDs = .allocate(capacity: smallUIDCount)
    smallUIDs.initialize(repeating: .max, count: smallUIDCount)
  }

  deinit {
    order.deallocate()
    position.deallocate()
    smallUIDs.deallocate()
  }

  /// The range of the nodes that a container holds.
  @inline(__always)
  private func members(of node: Node) -> Range<Int> {
    let start = Int(node.payload)
    return start..<start + Int(node.count) * (node.marker == .dictionary ? 2 : 1)
  }

  /// The bytes of a node's string, data or wide integer.
  private func bytes(of node: Node) -> UnsafeBufferPointer<UInt8> {
    let start = Int(node.payload)
    let count = Int(node.count) * (node.marker == .utf16 ? 2 : 1)
    return UnsafeBufferPointer(rebasing: contents[start..<start + count])
  }

  // MARK: Listing

  /// Lists the nodes depth first from the root.
  ///
  /// A single loop, because a function call for each reference of a large archive would take a good part of the time.
  mutating func list() {
    let (nodes, position) = (nodes, position)
    var size = 0
    var open: [Range<Int>] = []
    var (next, end) = (0, 0)
    var number = root
    while true {
      if let uid = PropertyListGraph.inlineUID(number) {
        noteUID(UInt64(uid))
        append(number)
        size &+= 1 &+ PropertyListGraph.width(of: Int(uid))
      } else if position[Int(number)] == .max {
        // Not listed before, or listed at each use.
        let node = nodes[Int(number)]
        if node.marker == .boolean {
          noteBoolean(node.payload != 0)
        } else if node.marker == .uid {
          noteUID(node.payload)
        } else {
          position[Int(number)] = UInt32(truncatingIfNeeded: listed)
        }
        append(number)
        size &+= plainLength(of: node)
        if node.marker.isContainer, node.count > 0 {
          let members = members(of: node)
          referenceCount &+= members.count
          if next < end { open.append(next..<end) }
          (next, end) = (members.lowerBound, members.upperBound)
        }
      }
      while next == end {
        guard let outer = open.popLast() else {
          plainSize = size
          return
        }
        (next, end) = (outer.lowerBound, outer.upperBound)
      }
      number = references[next]
      next &+= 1
    }
  }

  @inline(__always)
  private mutating func append(_ number: UInt32) {
    precondition(listed <= references.count, "a container was listed twice")
    order[listed] = number
    listed &+= 1
  }

  private mutating func noteBoolean(_ value: Bool) {
    let here = UInt32(truncatingIfNeeded: listed)
    if value {
      booleans.1 = min(booleans.1, here)
    } else {
      booleans.0 = min(booleans.0, here)
    }
  }

  /// Records the position of a UID if it is the first with its number.
  @inline(__always)
  private mutating func noteUID(_ number: UInt64) {
    let here = UInt32(truncatingIfNeeded: listed)
    if number < UInt64(smallUIDCount) {
      if smallUIDs[Int(number)] == .max { smallUIDs[Int(number)] = here }
    } else if largeUIDs[number] == nil {
      largeUIDs[number] = here
    }
  }

  /// The size of a node in the file, excluding references to others.
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

  // MARK: Writing

  /// Writes the listed nodes as a file.
  func write() -> [UInt8] {
    let referenceWidth = PropertyListGraph.width(of: listed)
    let table = BinaryPropertyList.magic.count + plainSize + referenceCount * referenceWidth
    let offsetWidth = PropertyListGraph.width(of: table)
    let size = table + listed * offsetWidth + 32
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      var out = BinaryOutput(buffer)
      var offsets = BinaryOutput(UnsafeMutableBufferPointer(rebasing: buffer[table...]))
      out.put(BinaryPropertyList.magic)
      switch offsetWidth {
      case 1: write(offsetsAs: UInt8.self, to: &offsets, objectsTo: &out, referenceWidth)
      case 2: write(offsetsAs: UInt16.self, to: &offsets, objectsTo: &out, referenceWidth)
      case 4: write(offsetsAs: UInt32.self, to: &offsets, objectsTo: &out, referenceWidth)
      default: write(offsetsAs: UInt64.self, to: &offsets, objectsTo: &out, referenceWidth)
      }
      offsets.put([0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)])
      offsets.put(number: UInt64(listed))
      offsets.put(number: UInt64(0))
      offsets.put(number: UInt64(table))
      count = size
    }
  }

  /// Writes the listed objects and the offset of each.
  @inline(__always)
  private func write<Offset: FixedWidthInteger>(
    offsetsAs _: Offset.Type, to offsets: inout BinaryOutput, objectsTo out: inout BinaryOutput,
    _ referenceWidth: Int
  ) {
    for place in 0..<listed {
      offsets.put(number: Offset(truncatingIfNeeded: out.count))
      let number = order[place]
      if let value = PropertyListGraph.inlineUID(number) {
        out.put(uid: UInt64(value))
      } else {
        write(nodes[Int(number)], referenceWidth, to: &out)
      }
    }
  }

  /// The position of a node in the object table.
  @inline(__always)
  private func position(of number: UInt32) -> UInt32 {
    if let value = PropertyListGraph.inlineUID(number) { return position(ofUID: UInt64(value)) }
    let known = position[Int(number)]
    return known == .max ? positionOfFirst(nodes[Int(number)]) : known
  }

  /// The position of the first UID with a given number.
  @inline(__always)
  private func position(ofUID number: UInt64) -> UInt32 {
    number < UInt64(smallUIDCount) ? smallUIDs[Int(number)] : largeUIDs[number] ?? 0
  }

  /// The position of the first node equal to one that is listed at each use.
  private func positionOfFirst(_ node: Node) -> UInt32 {
    if node.marker == .uid { return position(ofUID: node.payload) }
    return node.payload == 0 ? booleans.0 : booleans.1
  }

  @inline(__always)
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
      out.put(number: node.payload)
    case .data, .ascii, .utf16:
      out.putHeader(
        node.marker == .data ? 0x40 : node.marker == .ascii ? 0x50 : 0x60, count: Int(node.count))
      out.put(bytes(of: node))
    case .uid: out.put(uid: node.payload)
    case .array, .set, .dictionary:
      out.putHeader(
        node.marker == .array ? 0xA0 : node.marker == .set ? 0xC0 : 0xD0, count: Int(node.count))
      let members = UnsafeBufferPointer(rebasing: references[members(of: node)])
      switch referenceWidth {
      case 1: out.put(members) { UInt8(truncatingIfNeeded: position(of: $0)) }
      case 2: out.put(members) { UInt16(truncatingIfNeeded: position(of: $0)) }
      default: out.put(members) { position(of: $0) }
      }
    }
  }
}
