/// A property list in memory that preserves the identity of objects.
///
/// Each object is a node with a number. A node that is used twice is one object with two uses, while two equal strings
/// may be two nodes. Core Foundation's writer makes the same distinction, so a graph that is read from a file and
/// written again reproduces the file byte for byte:
///
/// ```swift
/// let list = try BinaryPropertyList(contentsOf: "Model.mom")
/// let graph = PropertyListGraph(list)
/// assert(graph.binary() == list.bytes)
/// ```
///
/// To build a graph, add nodes, children first, and set the root:
///
/// ```swift
/// var graph = PropertyListGraph()
/// let name = graph.add(string: "name"), value = graph.add(string: "MomKit")
/// graph.root = graph.add(dictionary: [name], values: [value])
/// ```
///
/// Since a node can only contain existing nodes, a graph never has a cycle. Nodes are stored in a few flat arrays, with
/// strings already in file format, so that graphs of millions of nodes take little more memory than their file.
public struct PropertyListGraph: Sendable {
  /// A node: its kind, and either its value or the location of its contents in one of the arrays.
  struct Node: Sendable {
    var marker: BinaryMarker
    /// The size in bytes of an integer or real: 1, 2, 4, 8 or 16.
    var width: UInt8
    var count: UInt32
    var payload: UInt64
  }

  // A UID needs no node: it is represented wherever it is used by its number with this bit set.
  @inlinable static var inlineUID: Int { 0x4000_0000 }

  var nodes: [Node] = []
  /// Strings, data and wide integers, in file format.
  private(set) var contents: [UInt8] = []
  /// The members of containers; for a dictionary, all keys and then all values. Unused space may follow.
  private(set) var references: [UInt32] = []
  /// The number of references in use.
  private(set) var referenceCount = 0

  /// The number of the root node. Default: 0.
  public var root: Int = 0

  /// Creates an empty graph.
  public init() {}

  /// The number of nodes, not counting references of keyed archives.
  public var count: Int { nodes.count }

  /// Reserves space for a number of nodes.
  public mutating func reserveCapacity(_ count: Int) {
    nodes.reserveCapacity(count)
  }

  /// Reserves space for numbers of nodes and references.
  mutating func reserveCapacity(nodes count: Int, references: Int) {
    nodes.reserveCapacity(count)
    self.references.reserveCapacity(references)
  }

  private mutating func append(
    _ marker: BinaryMarker, width: Int = 0, count: Int = 0, payload: UInt64 = 0
  ) -> Int {
    precondition(nodes.count < Self.inlineUID, "a property list of over a thousand million objects")
    nodes.append(
      Node(
        marker: marker, width: UInt8(width), count: UInt32(truncatingIfNeeded: count),
        payload: payload))
    return nodes.count - 1
  }

  /// Adds the null object.
  public mutating func addNull() -> Int { append(.null) }

  /// Adds a boolean.
  public mutating func add(boolean value: Bool) -> Int { append(.boolean, payload: value ? 1 : 0) }

  /// Adds an integer with the least width that holds it: 1, 2 or 4 bytes unsigned, otherwise 8 signed.
  public mutating func add(integer value: Int) -> Int {
    append(.integer, width: Self.width(of: value), payload: UInt64(bitPattern: Int64(value)))
  }

  /// Adds an integer of a given width: 1, 2, 4, 8 or 16 bytes.
  ///
  /// - Precondition: The value fits the width; 1, 2 and 4 bytes are unsigned.
  public mutating func add(integer value: Int128, width: Int) -> Int {
    guard width == 16 else {
      return append(.integer, width: width, payload: UInt64(truncatingIfNeeded: value))
    }
    let start = contents.count
    for shift in stride(from: 120, through: 0, by: -8) {
      contents.append(UInt8(truncatingIfNeeded: value >> shift))
    }
    return append(.integer, width: 16, count: 16, payload: UInt64(start))
  }

  /// Adds a 32-bit floating-point number.
  public mutating func add(float value: Float) -> Int {
    append(.real, width: 4, payload: UInt64(value.bitPattern))
  }

  /// Adds a 64-bit floating-point number.
  public mutating func add(double value: Double) -> Int {
    append(.real, width: 8, payload: value.bitPattern)
  }

  /// Adds a date, in seconds since 2001-01-01.
  public mutating func add(date seconds: Double) -> Int {
    append(.date, width: 8, payload: seconds.bitPattern)
  }

  /// Adds bytes.
  public mutating func add(data bytes: some Collection<UInt8>) -> Int {
    let start = contents.count
    contents.append(contentsOf: bytes)
    return append(.data, count: contents.count - start, payload: UInt64(start))
  }

  /// Adds a string: as ASCII if possible, otherwise as UTF-16.
  public mutating func add(string: String) -> Int {
    let start = contents.count
    var string = string
    let isASCII = string.withUTF8 { utf8 in
      guard utf8.allSatisfy({ $0 < 0x80 }) else { return false }
      contents.append(contentsOf: utf8)
      return true
    }
    if isASCII {
      return append(.ascii, count: contents.count - start, payload: UInt64(start))
    }
    for unit in string.utf16 {
      contents.append(UInt8(unit >> 8))
      contents.append(UInt8(truncatingIfNeeded: unit))
    }
    return append(.utf16, count: (contents.count - start) / 2, payload: UInt64(start))
  }

  /// Adds a reference of a keyed archive.
  public mutating func add(uid value: Int) -> Int {
    Self.node(ofUID: value) ?? append(.uid, payload: UInt64(truncatingIfNeeded: value))
  }

  /// The number that represents a UID without a node; `nil` for UIDs that need one.
  @inlinable @inline(__always)
  package static func node(ofUID value: Int) -> Int? {
    value >= 0 && value < inlineUID ? value | inlineUID : nil
  }

  /// Adds an array of nodes.
  ///
  /// - Precondition: The nodes exist already.
  public mutating func add(array elements: some Collection<Int>) -> Int {
    addContainer(.array, Array(elements))
  }

  /// Adds a set of nodes.
  ///
  /// - Precondition: The nodes exist already.
  public mutating func add(set elements: some Collection<Int>) -> Int {
    addContainer(.set, Array(elements))
  }

  /// Adds a dictionary of keys, which are strings, and as many values.
  ///
  /// - Precondition: The nodes exist already, the keys are strings, and the counts are equal.
  public mutating func add(
    dictionary keys: some Collection<Int>, values: some Collection<Int>
  ) -> Int {
    let keys = Array(keys)
    precondition(keys.count == values.count, "a dictionary needs a value for every key")
    precondition(keys.allSatisfy(isString), "a dictionary's keys are strings")
    let start = addReferences(keys + Array(values))
    return append(.dictionary, count: keys.count, payload: UInt64(start))
  }

  /// Adds a dictionary without checking its members, for which the caller is responsible.
  ///
  /// - Parameter fill: Stores the value nodes, one for each key.
  mutating func addDictionary(
    keys: UnsafeBufferPointer<UInt32>, values fill: (UnsafeMutableBufferPointer<UInt32>) -> Void
  ) -> Int {
    let count = keys.count
    let start = addReferences(count &* 2) { members in
      for place in 0..<count { members[place] = keys[place] }
      fill(UnsafeMutableBufferPointer(rebasing: members[count...]))
    }
    return append(.dictionary, count: count, payload: UInt64(start))
  }

  /// Adds an array without checking its members, for which the caller is responsible.
  ///
  /// - Parameter fill: Stores the given number of member nodes.
  mutating func addArray(
    count: Int, _ fill: (UnsafeMutableBufferPointer<UInt32>) -> Void
  ) -> Int {
    append(.array, count: count, payload: UInt64(addReferences(count, fill)))
  }

  /// Reserves a run of references and sets them.
  ///
  /// - Parameter fill: Sets the references.
  /// - Returns: The index of the first.
  @inline(__always)
  private mutating func addReferences(
    _ count: Int, _ fill: (UnsafeMutableBufferPointer<UInt32>) -> Void
  ) -> Int {
    let start = referenceCount
    if count > references.count &- start { makeRoom(for: count) }
    references.withUnsafeMutableBufferPointer {
      fill(UnsafeMutableBufferPointer(rebasing: $0[start..<start &+ count]))
    }
    referenceCount = start &+ count
    return start
  }

  private mutating func makeRoom(for count: Int) {
    // Initialize only part of the reserved space at a time, so that it is in the cache when it is set, and stay within
    // the reserved space while it suffices.
    var added = max(count, min(references.count, 16_384), 256)
    let reserved = references.capacity - references.count
    if reserved >= count { added = min(added, reserved) }
    references.append(contentsOf: repeatElement(0, count: added))
  }

  /// The offset of a node's string in the contents; `nil` when it is not ASCII.
  func startOfASCII(_ node: Int) -> Int? {
    guard nodes.indices.contains(node), nodes[node].marker == .ascii else { return nil }
    return Int(nodes[node].payload)
  }

  private mutating func addContainer(_ marker: BinaryMarker, _ elements: [Int]) -> Int {
    append(marker, count: elements.count, payload: UInt64(addReferences(elements)))
  }

  private mutating func addReferences(_ elements: [Int]) -> Int {
    precondition(elements.allSatisfy(hasNode), "a container's members are added before it")
    return addReferences(elements.count) { members in
      for place in 0..<members.count { members[place] = UInt32(elements[place]) }
    }
  }

  /// Whether a node with a number exists.
  func hasNode(_ number: Int) -> Bool {
    nodes.indices.contains(number) || Self.isInlineUID(number)
  }

  /// Whether a number represents a UID without a node.
  @inline(__always)
  static func isInlineUID(_ number: Int) -> Bool {
    number >= inlineUID && number < inlineUID << 1
  }

  /// The UID that a number represents; `nil` for the number of a node.
  @inline(__always)
  static func inlineUID(_ number: UInt32) -> UInt32? {
    isInlineUID(Int(number)) ? number ^ UInt32(inlineUID) : nil
  }

  private func isString(_ node: Int) -> Bool {
    precondition(hasNode(node), "a container's members are added before it")
    guard nodes.indices.contains(node) else { return false }
    return nodes[node].marker == .ascii || nodes[node].marker == .utf16
  }

  /// The least width of an integer, as chosen by Core Foundation.
  static func width(of value: Int) -> Int {
    switch value {
    case 0...0xFF: 1
    case 0...0xFFFF: 2
    case 0...0xFFFF_FFFF: 4
    default: 8
    }
  }
}
