import BinaryPlist

/// Lays out the objects of an archive in the very order in which `NSKeyedArchiver` numbers them.
///
/// An object gets its number at the first reference to it, and its body at the first reference that
/// is not conditional, before the next field of the object that refers to it. What would be a
/// recursion over the objects is a stack of open objects here: their fields lie in one array, and an
/// object's fields are asked for (of an ``ArchiveSource``) when its turn comes. So a
/// chain of any length is laid out in bounded stack, and objects cost no allocation of their own.
package struct ArchiveAssembler {
  package typealias Identity = ArchiveIdentity

  fileprivate enum Content {
    /// A value that stands in the object itself.
    case node(Int)
    /// A value that stands in `$objects`: text or a number.
    case leaf(Identity)
    /// Another object, encoded here if it was not before.
    case object(ArchiveItem, Identity)
    /// Another object, whose number alone is wanted here.
    case conditional(Identity)
    /// As many of the following fields make an array.
    case list(count: Int)
  }

  fileprivate struct Field {
    var key: Int
    var content: Content
  }

  private struct OpenObject {
    var number: Int
    var classIndex: Int
    var start: Int
    var end: Int
    var next: Int
  }

  private let style: ArchiveStyle
  package private(set) var graph = PropertyListGraph()

  private var keys: [String: Int] = [:]
  private var keyNodes: [Int] = []
  private var keyHashes: [UInt64] = []
  private var fields: [Field] = []
  private var open: [OpenObject] = []

  /// The number of each identity; 0 before its first reference.
  private var numbers: [UInt32] = []
  /// The node of each leaf; −1 for objects.
  private var leaves: [Int32] = []
  /// The node of each object's body, by number; −1 before it is encoded.
  private var bodies: [Int32] = []
  private var encoded: [Bool] = []

  private var sharedTexts: [ExactText: Identity] = [:]
  private var taggedNodes: [String: Int] = [:]
  private var classNameNodes: [String: Int] = [:]
  private var int32Nodes: [Int: Int] = [:]
  private var int64Nodes: [Int: Int] = [:]
  private var doubleNodes: [UInt64: Int] = [:]
  private var floatNodes: [UInt32: Int] = [:]
  private var boxedIntegers: [Int: Identity] = [:]
  private var boxedDoubles: [UInt64: Identity] = [:]
  private var boxedFloats: [UInt32: Identity] = [:]
  private var boxedBooleans: [Identity?] = [nil, nil]

  private var classes: [ArchiveClass] = []
  private var classIndexes: [ArchiveClass: Int] = [:]
  private var classNumbers: [Int] = []
  private var shapes: [[Int]: [Int]] = [:]
  private var classKeys: (name: Int, chain: Int, type: Int) = (0, 0, 0)

  package init(keys: [String], style: ArchiveStyle) {
    self.style = style
    for key in keys { _ = addKey(key) }
    classKeys = (addKey("$classname"), addKey("$classes"), addKey("$class"))
    // Object 0.
    bodies.append(Int32(graph.add(string: "$null")))
    encoded.append(true)
  }

  /// Makes a further key known.
  private mutating func addKey(_ key: String) -> Int {
    keyNodes.append(graph.add(string: key))
    keyHashes.append(style.hash(key))
    keys[key] = keyNodes.count - 1
    return keyNodes.count - 1
  }

  /// The number by which a key is put.
  package mutating func key(_ key: String) -> Int {
    keys[key] ?? addKey(key)
  }

  /// The number by which a source names a class.
  package mutating func classIndex(_ type: ArchiveClass) -> Int {
    if let known = classIndexes[type] { return known }
    classes.append(type)
    classNumbers.append(0)
    classIndexes[type] = classes.count - 1
    return classes.count - 1
  }

  /// An identity for an object that is yet to be referred to.
  package mutating func newIdentity() -> Identity {
    numbers.append(0)
    leaves.append(-1)
    return Identity(index: numbers.count - 1)
  }

  private mutating func leaf(_ node: Int) -> Identity {
    numbers.append(0)
    leaves.append(Int32(node))
    return Identity(index: numbers.count - 1)
  }

  // MARK: Values that stand in `$objects`

  /// Text that is one object wherever it occurs.
  package mutating func text(_ text: String) -> Identity {
    let exact = ExactText(text: text)
    if let identity = sharedTexts[exact] { return identity }
    let identity = leaf(
      style.tags(text) ? taggedNode(text) : graph.add(string: text))
    sharedTexts[exact] = identity
    return identity
  }

  /// Text that is an object of its own, unless it fits a tagged pointer.
  package mutating func distinctText(_ text: String) -> Identity {
    style.tags(text) ? self.text(text) : leaf(graph.add(string: text))
  }

  package mutating func boxed(integer value: Int) -> Identity {
    if let identity = boxedIntegers[value] { return identity }
    let identity = leaf(int64Node(value))
    guard sharesBoxed(value) else { return identity }
    boxedIntegers[value] = identity
    return identity
  }

  package mutating func boxed(double value: Double) -> Identity {
    if let identity = boxedDoubles[value.bitPattern] { return identity }
    let identity = leaf(doubleNode(value))
    guard style.numberSharing != .smallIntegers else { return identity }
    boxedDoubles[value.bitPattern] = identity
    return identity
  }

  package mutating func boxed(float value: Float) -> Identity {
    if let identity = boxedFloats[value.bitPattern] { return identity }
    let identity = leaf(floatNode(value))
    guard style.numberSharing != .smallIntegers else { return identity }
    boxedFloats[value.bitPattern] = identity
    return identity
  }

  package mutating func boxed(boolean value: Bool) -> Identity {
    if let identity = boxedBooleans[value ? 1 : 0] { return identity }
    let identity = leaf(graph.add(boolean: value))
    boxedBooleans[value ? 1 : 0] = identity
    return identity
  }

  package mutating func boxed(data bytes: some Collection<UInt8>) -> Identity {
    leaf(graph.add(data: bytes))
  }

  /// A leaf of a node that was added by itself.
  package mutating func boxed(node: Int) -> Identity { leaf(node) }

  // MARK: Fields of the object that is being encoded

  package mutating func put(_ key: Int, boolean value: Bool) {
    append(key, .node(graph.add(boolean: value)))
  }

  package mutating func put(_ key: Int, int32 value: Int) {
    append(key, .node(int32Node(value)))
  }

  package mutating func put(_ key: Int, int64 value: Int) {
    append(key, .node(int64Node(value)))
  }

  package mutating func put(_ key: Int, double value: Double) {
    append(key, .node(doubleNode(value)))
  }

  package mutating func put(_ key: Int, data bytes: some Collection<UInt8>) {
    append(key, .node(graph.add(data: bytes)))
  }

  package mutating func put(_ key: Int, inlineText text: String) {
    append(key, .node(graph.add(string: text)))
  }

  /// A node that was added by itself.
  package mutating func put(_ key: Int, node: Int) {
    append(key, .node(node))
  }

  package mutating func putNil(_ key: Int) {
    append(key, .node(graph.add(uid: 0)))
  }

  package mutating func put(_ key: Int, leaf identity: Identity?) {
    guard let identity else { return putNil(key) }
    append(key, .leaf(identity))
  }

  /// An object that only this field refers to.
  package mutating func put(_ key: Int, object item: ArchiveItem) {
    append(key, .object(item, newIdentity()))
  }

  package mutating func put(_ key: Int, object item: ArchiveItem, _ identity: Identity) {
    append(key, .object(item, identity))
  }

  package mutating func put(_ key: Int, conditional identity: Identity?) {
    guard let identity else { return putNil(key) }
    append(key, .conditional(identity))
  }

  /// Begins an array under a key: the next fields, as many as said, are its members.
  ///
  /// Members are put with any key; it is not looked at.
  package mutating func put(_ key: Int, listOf count: Int) {
    append(key, .list(count: count))
  }

  private mutating func append(_ key: Int, _ content: Content) {
    fields.append(Field(key: key, content: content))
  }

  // MARK: Nodes

  /// Adds an integer of a given width, shared with no other.
  package mutating func addNode(integer value: Int128, width: Int) -> Int {
    graph.add(integer: value, width: width)
  }

  /// Adds a value as it stands, shared with no other.
  package mutating func addNode(_ value: ArchiveValue) -> Int {
    switch value {
    case .null: graph.addNull()
    case .boolean(let value): graph.add(boolean: value)
    case .integer(let value, let width): graph.add(integer: value, width: width)
    case .float(let value): graph.add(float: value)
    case .double(let value): graph.add(double: value)
    case .date(let seconds): graph.add(date: seconds)
    case .data(let bytes): graph.add(data: bytes)
    case .string(let text): graph.add(string: text)
    case .reference(let number): graph.add(uid: number)
    case .array(let members): graph.add(array: members.map { addNode($0) })
    case .set(let members): graph.add(set: members.map { addNode($0) })
    case .dictionary(let fields):
      graph.add(
        dictionary: fields.map { graph.add(string: $0.key) },
        values: fields.map { addNode($0.value) })
    }
  }

  private mutating func taggedNode(_ text: String) -> Int {
    if let node = taggedNodes[text] { return node }
    let node = graph.add(string: text)
    taggedNodes[text] = node
    return node
  }

  private mutating func int32Node(_ value: Int) -> Int {
    guard style.numberSharing == .byValue else { return int64Node(value) }
    return Self.shared(value, in: &int32Nodes, &graph)
  }

  private mutating func int64Node(_ value: Int) -> Int {
    guard style.numberSharing == .byValue || Self.smallIntegers.contains(value) else {
      return graph.add(integer: value)
    }
    return Self.shared(value, in: &int64Nodes, &graph)
  }

  private static let smallIntegers = 0...12

  private func sharesBoxed(_ value: Int) -> Bool {
    style.numberSharing != .smallIntegers || Self.smallIntegers.contains(value)
  }

  private static func shared(
    _ value: Int, in pool: inout [Int: Int], _ graph: inout PropertyListGraph
  ) -> Int {
    if let node = pool[value] { return node }
    let node = graph.add(integer: value)
    pool[value] = node
    return node
  }

  private mutating func doubleNode(_ value: Double) -> Int {
    guard style.numberSharing == .byValue else { return graph.add(double: value) }
    if let node = doubleNodes[value.bitPattern] { return node }
    let node = graph.add(double: value)
    doubleNodes[value.bitPattern] = node
    return node
  }

  private mutating func floatNode(_ value: Float) -> Int {
    guard style.numberSharing == .byValue else { return graph.add(float: value) }
    if let node = floatNodes[value.bitPattern] { return node }
    let node = graph.add(float: value)
    floatNodes[value.bitPattern] = node
    return node
  }

  // MARK: Objects

  /// Lays out an object and all it refers to.
  ///
  /// - Returns: Its number.
  package mutating func encode(
    _ item: ArchiveItem, _ identity: Identity, asking source: any ArchiveSource
  ) throws(ArchiveError) -> Int {
    let number = number(of: identity)
    // One archived by name may have been met inside another.
    if !encoded[number] { try begin(item, number, source) }
    while let last = open.indices.last {
      if open[last].next == open[last].end {
        close()
        continue
      }
      let position = open[last].next
      open[last].next += 1
      switch fields[position].content {
      case .node, .list: break
      case .leaf(let identity):
        let number = self.number(of: identity)
        if !encoded[number] {
          encoded[number] = true
          bodies[number] = leaves[identity.index]
        }
        fields[position].content = .node(graph.add(uid: number))
      case .conditional(let identity):
        fields[position].content = .node(graph.add(uid: self.number(of: identity)))
      case .object(let item, let identity):
        let number = self.number(of: identity)
        fields[position].content = .node(graph.add(uid: number))
        if !encoded[number] { try begin(item, number, source) }
      }
    }
    return number
  }

  private mutating func number(of identity: Identity) -> Int {
    if numbers[identity.index] == 0 { numbers[identity.index] = UInt32(newNumber()) }
    return Int(numbers[identity.index])
  }

  private mutating func newNumber() -> Int {
    bodies.append(-1)
    encoded.append(false)
    return bodies.count - 1
  }

  private mutating func begin(
    _ item: ArchiveItem, _ number: Int, _ source: any ArchiveSource
  ) throws(ArchiveError) {
    encoded[number] = true
    let start = fields.count
    let classIndex =
      if case .foundation(let value) = item {
        putFields(of: value)
      } else {
        try source.encode(item, into: &self)
      }
    open.append(
      OpenObject(
        number: number, classIndex: classIndex, start: start, end: fields.count, next: start))
  }

  private mutating func close() {
    let object = open.removeLast()
    append(classKeys.type, .node(graph.add(uid: classNumber(object.classIndex))))
    bodies[object.number] = Int32(dictionary(fields[object.start...]))
    fields.removeSubrange(object.start...)
  }

  /// A class is referred to after an instance's fields.
  private mutating func classNumber(_ index: Int) -> Int {
    if classNumbers[index] == 0 {
      let number = newNumber()
      classNumbers[index] = number
      let name = classNameNode(classes[index].name)
      let chain = graph.add(array: classes[index].chain.map { classNameNode($0) })
      encoded[number] = true
      bodies[number] = Int32(
        dictionary([
          Field(key: classKeys.name, content: .node(name)),
          Field(key: classKeys.chain, content: .node(chain)),
        ]))
    }
    return classNumbers[index]
  }

  private mutating func classNameNode(_ name: String) -> Int {
    if style.tags(name) { return taggedNode(name) }
    if !style.sharesClassNames || style.distinctClassNames.contains(name) {
      return graph.add(string: name)
    }
    if let node = classNameNodes[name] { return node }
    let node = graph.add(string: name)
    classNameNodes[name] = node
    return node
  }

  /// Makes the dictionary of an object, its keys in the order of Foundation's hash tables.
  private mutating func dictionary(_ fields: ArraySlice<Field>) -> Int {
    var keys: [Int] = []
    var values: [Int] = []
    keys.reserveCapacity(fields.count)
    values.reserveCapacity(fields.count)
    var position = fields.startIndex
    while position < fields.endIndex {
      keys.append(fields[position].key)
      switch fields[position].content {
      case .list(let count):
        let members = fields[position + 1..<position + 1 + count]
        values.append(graph.addArray(members.map(\.node)))
        position += count
      default:
        values.append(fields[position].node)
      }
      position += 1
    }
    let order = order(of: keys)
    return graph.addDictionary(
      keys: order.map { keyNodes[keys[$0]] }, values: order.map { values[$0] })
  }

  private mutating func order(of keys: [Int]) -> [Int] {
    if let order = shapes[keys] { return order }
    let order = CoreFoundationOrder.grown(hashes: keys.map { keyHashes[$0] })
    shapes[keys] = order
    return order
  }

  // MARK: The archive

  /// The archive's property list.
  ///
  /// - Parameter top: The numbers of the objects archived by name.
  package mutating func finish(top: [(key: String, number: Int)]) -> PropertyListGraph {
    let topOrder = CoreFoundationOrder.grown(top.map(\.key))
    let topKeys = topOrder.map { graph.add(string: top[$0].key) }
    let topValues = topOrder.map { graph.add(uid: top[$0].number) }
    // An object to which there are conditional references only is nil.
    let null = Int(bodies[0])
    let keys = ["$archiver", "$objects", "$top", "$version"]
    let values = [
      graph.add(string: "NSKeyedArchiver"),
      graph.add(array: bodies.map { $0 < 0 ? null : Int($0) }),
      graph.add(dictionary: topKeys, values: topValues),
      graph.add(integer: 100_000),
    ]
    let order = CoreFoundationOrder.sized(
      hashes: keys.map { style.hash($0) }, capacity: style.hasWideTop ? 11 : 0)
    graph.root = graph.add(
      dictionary: order.map { graph.add(string: keys[$0]) }, values: order.map { values[$0] })
    return graph
  }
}

extension ArchiveAssembler.Field {
  fileprivate var node: Int {
    guard case .node(let node) = content else {
      preconditionFailure("a field was closed before it was laid out")
    }
    return node
  }
}

/// Text as Foundation tells it apart: unit by unit, where for Swift `é` in one scalar or in two is the
/// same.
private struct ExactText: Hashable {
  var text: String

  static func == (left: ExactText, right: ExactText) -> Bool {
    var (left, right) = (left.text, right.text)
    return left.withUTF8 { left in
      right.withUTF8 { left.count == $0.count && left.elementsEqual($0) }
    }
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
