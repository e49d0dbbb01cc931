extension PropertyListGraph {
  /// Creates a graph with the same objects as a binary property list, preserving identity and order.
  ///
  /// Node numbers differ from the list's object numbers, since a node's members precede it. Objects that nothing refers
  /// to are omitted. The writer repeats references and booleans as Core Foundation does.
  public init(_ list: BinaryPropertyList) {
    reserveCapacity(list.count)
    root = add(copiesOf: [list.top], in: list)[0]
  }

  /// Adds copies of a list's objects with everything they contain. Shared objects stay shared.
  ///
  /// - Returns: The nodes that correspond to the objects, in the same order.
  public mutating func add(copiesOf objects: [Int], in list: BinaryPropertyList) -> [Int] {
    let unseen = UInt32.max
    var made = [UInt32](repeating: unseen, count: list.count)
    var stack: [(object: Int, entered: Bool)] = objects.reversed().map { ($0, false) }
    while let (object, entered) = stack.popLast() {
      guard made[object] == unseen else { continue }
      if !entered, list.marker(at: object).isContainer {
        stack.append((object, true))
        list.forEachMember(of: object) { member in
          if made[member] == unseen { stack.append((member, false)) }
        }
        continue
      }
      made[object] = UInt32(add(list.value(at: object)) { Int(made[$0]) })
    }
    return objects.map { Int(made[$0]) }
  }

  /// Adds a value, translating the numbers of its members.
  private mutating func add(_ value: PropertyListValue, translating node: (Int) -> Int) -> Int {
    switch value {
    case .null: addNull()
    case .boolean(let value): add(boolean: value)
    case .integer(let value, let width): add(integer: value, width: width)
    case .float(let value): add(float: value)
    case .double(let value): add(double: value)
    case .date(let seconds): add(date: seconds)
    case .data(let bytes): add(data: bytes)
    case .string(let text): add(string: text)
    case .uid(let number): add(uid: Int(truncatingIfNeeded: number))
    case .array(let members): add(array: members.map(node))
    case .set(let members): add(set: members.map(node))
    case .dictionary(let keys, let values):
      add(dictionary: keys.map(node), values: values.map(node))
    }
  }

  /// Decodes a node with its contents.
  ///
  /// - Precondition: A node with that number exists.
  public func value(at index: Int) -> PropertyListValue {
    if Self.isInlineUID(index) { return .uid(UInt64(index ^ Self.inlineUID)) }
    let node = nodes[index]
    switch node.marker {
    case .null, .invalid: return .null
    case .boolean: return .boolean(node.payload != 0)
    case .integer: return .integer(integer(node), width: Int(node.width))
    case .real:
      return node.width == 4
        ? .float(Float(bitPattern: UInt32(truncatingIfNeeded: node.payload)))
        : .double(Double(bitPattern: node.payload))
    case .date: return .date(Double(bitPattern: node.payload))
    case .data: return .data(Array(bytes(of: node)))
    case .ascii: return .string(String(decoding: bytes(of: node), as: UTF8.self))
    case .utf16:
      let bytes = bytes(of: node)
      let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return .string(String(decoding: units, as: UTF16.self))
    case .uid: return .uid(node.payload)
    case .array: return .array(members(of: node).map(Int.init))
    case .set: return .set(members(of: node).map(Int.init))
    case .dictionary:
      let members = members(of: node).map(Int.init)
      let count = Int(node.count)
      return .dictionary(keys: Array(members[..<count]), values: Array(members[count...]))
    }
  }

  private func integer(_ node: Node) -> Int128 {
    switch node.width {
    case 16: return bytes(of: node).reduce(0) { $0 << 8 | Int128($1) }
    case 8: return Int128(Int64(bitPattern: node.payload))
    default: return Int128(node.payload)
    }
  }

  /// The bytes of a node's string, data or wide integer.
  func bytes(of node: Node) -> ArraySlice<UInt8> {
    let start = Int(node.payload)
    return contents[start..<start + Int(node.count) * (node.marker == .utf16 ? 2 : 1)]
  }

  /// The nodes that a container holds.
  func members(of node: Node) -> ArraySlice<UInt32> {
    let start = Int(node.payload)
    return references[start..<start + Int(node.count) * (node.marker == .dictionary ? 2 : 1)]
  }
}

extension BinaryPropertyList {
  /// Calls a closure with every object that a container refers to, keys before values.
  func forEachMember(of index: Int, _ body: (Int) -> Void) {
    if let elements = elements(at: index) {
      elements.forEach(body)
    } else if let (keys, values) = dictionary(at: index) {
      keys.forEach(body)
      values.forEach(body)
    }
  }
}
