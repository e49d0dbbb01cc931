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

  /// A field of an open object. Of plain words: a large archive has millions.
  fileprivate struct Field {
    enum Kind: UInt8 {
      /// A value that stands in the object itself.
      case node
      /// A value that stands in `$objects`: text or a number.
      case leaf
      /// Another object, encoded here if it was not before.
      case object
      /// Another object, whose number alone is wanted here.
      case conditional
      /// As many of the following fields make an array.
      case list
    }

    var key: UInt32
    var kind: Kind
    /// The node, the number of an identity, or the count of a list.
    var value: Int
    /// What to ask the source for; below zero, one of the values kept for that.
    var item = 0
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

  private var keys: ArchiveKeyTable
  /// The node of each key; −1 before an object has it.
  private var keyNodes: [Int32] = []
  private var fields: [Field] = []
  private var open: [OpenObject] = []
  /// The values of Foundation's classes that are objects to be laid out.
  private var values: [ArchiveFoundationValue] = []

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
  private var int32Nodes = IntegerNodes()
  private var int64Nodes = IntegerNodes()
  private var doubleNodes: [UInt64: Int] = [:]
  private var floatNodes: [UInt32: Int] = [:]
  private var boxedIntegers: [Int: Identity] = [:]
  private var boxedDoubles: [UInt64: Identity] = [:]
  private var boxedFloats: [UInt32: Identity] = [:]
  private var boxedBooleans: [Identity?] = [nil, nil]

  private var classes: [ArchiveClass] = []
  private var classIndexes: [ArchiveClass: Int] = [:]
  private var classNumbers: [Int] = []
  private var shapes: [DictionaryShape] = []
  private var shapeIndexes: [[UInt32]: Int] = [:]
  /// The shape that the last object of each class had; −1 for none.
  private var lastShapes: [Int] = [-1]
  private var shapeKeys: [UInt32] = []
  private var shapeValues: [UInt32] = []
  private var classKeys: (name: Int, chain: Int, type: Int) = (0, 0, 0)

  package init(keys: ArchiveKeyTable, style: ArchiveStyle) {
    self.style = style
    self.keys = keys
    classKeys = (key("$classname"), key("$classes"), key("$class"))
    // Object 0.
    bodies.append(Int32(graph.add(string: "$null")))
    encoded.append(true)
  }

  /// The number by which a key is put.
  package mutating func key(_ key: String) -> Int {
    keys.number(of: key)
  }

  /// The node of a key, one for all its uses.
  private mutating func keyNode(_ key: Int) -> UInt32 {
    while keyNodes.count <= key { keyNodes.append(-1) }
    if keyNodes[key] < 0 {
      keyNodes[key] = Int32(truncatingIfNeeded: graph.add(string: keys.texts[key]))
    }
    return UInt32(truncatingIfNeeded: keyNodes[key])
  }

  /// The number by which a source names a class.
  package mutating func classIndex(_ type: ArchiveClass) -> Int {
    if let known = classIndexes[type] { return known }
    classes.append(type)
    classNumbers.append(0)
    lastShapes.append(-1)
    classIndexes[type] = classes.count - 1
    return classes.count - 1
  }

  /// An identity for an object that is yet to be referred to.
  package mutating func newIdentity() -> Identity {
    numbers.append(0)
    leaves.append(-1)
    return Identity(index: numbers.count - 1)
  }

  /// As many identities in a row.
  ///
  /// - Returns: The first; ``ArchiveIdentity/advanced(by:)`` gives the others.
  package mutating func newIdentities(_ count: Int) -> Identity {
    let first = numbers.count
    numbers.append(contentsOf: repeatElement(0, count: count))
    leaves.append(contentsOf: repeatElement(-1, count: count))
    return Identity(index: first)
  }

  /// Makes room for objects of so many fields in all.
  package mutating func reserveCapacity(objects: Int, fields: Int) {
    bodies.reserveCapacity(objects)
    encoded.reserveCapacity(objects)
    graph.reserveCapacity(fields)
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
    append(key, .node, graph.add(boolean: value))
  }

  package mutating func put(_ key: Int, int32 value: Int) {
    append(key, .node, int32Node(value))
  }

  package mutating func put(_ key: Int, int64 value: Int) {
    append(key, .node, int64Node(value))
  }

  package mutating func put(_ key: Int, double value: Double) {
    append(key, .node, doubleNode(value))
  }

  package mutating func put(_ key: Int, data bytes: some Collection<UInt8>) {
    append(key, .node, graph.add(data: bytes))
  }

  package mutating func put(_ key: Int, inlineText text: String) {
    append(key, .node, graph.add(string: text))
  }

  /// A node that was added by itself.
  package mutating func put(_ key: Int, node: Int) {
    append(key, .node, node)
  }

  package mutating func putNil(_ key: Int) {
    append(key, .node, graph.add(uid: 0))
  }

  package mutating func put(_ key: Int, leaf identity: Identity?) {
    guard let identity else { return putNil(key) }
    append(key, .leaf, identity.index)
  }

  /// An object that only this field refers to.
  package mutating func put(_ key: Int, object item: ArchiveItem) {
    put(key, object: item, newIdentity())
  }

  package mutating func put(_ key: Int, object item: ArchiveItem, _ identity: Identity) {
    fields.append(
      Field(
        key: UInt32(truncatingIfNeeded: key), kind: .object, value: identity.index,
        item: stored(item)))
  }

  package mutating func put(_ key: Int, conditional identity: Identity?) {
    guard let identity else { return putNil(key) }
    append(key, .conditional, identity.index)
  }

  /// Begins an array under a key: the next fields, as many as said, are its members.
  ///
  /// Members are put with any key; it is not looked at.
  package mutating func put(_ key: Int, listOf count: Int) {
    append(key, .list, count)
  }

  @inline(__always)
  private mutating func append(_ key: Int, _ kind: Field.Kind, _ value: Int) {
    fields.append(Field(key: UInt32(truncatingIfNeeded: key), kind: kind, value: value))
  }

  /// An item as a plain number.
  private mutating func stored(_ item: ArchiveItem) -> Int {
    switch item {
    case .number(let number): return number
    case .foundation(let value):
      values.append(value)
      return -values.count
    }
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
    _ value: Int, in pool: inout IntegerNodes, _ graph: inout PropertyListGraph
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
    let number = number(of: identity.index)
    // One archived by name may have been met inside another.
    if !encoded[number] { try begin(stored(item), number, source) }
    while let last = open.indices.last {
      let (start, end) = (open[last].next, open[last].end)
      var position = start
      // The fields up to the next object to be laid out.
      while position < end, !(try layOut(position, last, source)) { position += 1 }
      if position == end { close() }
    }
    return number
  }

  /// Gives a field of the innermost object its node.
  ///
  /// - Returns: Whether it refers to an object that is to be laid out first: then that one is open.
  private mutating func layOut(
    _ position: Int, _ object: Int, _ source: any ArchiveSource
  ) throws(ArchiveError) -> Bool {
    let field = fields[position]
    switch field.kind {
    case .node, .list: return false
    case .leaf:
      let number = number(of: field.value)
      if !encoded[number] {
        encoded[number] = true
        bodies[number] = leaves[field.value]
      }
      setNode(graph.add(uid: number), at: position)
      return false
    case .conditional:
      setNode(graph.add(uid: number(of: field.value)), at: position)
      return false
    case .object:
      let number = number(of: field.value)
      setNode(graph.add(uid: number), at: position)
      if encoded[number] { return false }
      open[object].next = position + 1
      try begin(field.item, number, source)
      return true
    }
  }

  @inline(__always)
  private mutating func setNode(_ node: Int, at position: Int) {
    fields[position].kind = .node
    fields[position].value = node
  }

  /// The number of the object of an identity, given at the first reference.
  private mutating func number(of identity: Int) -> Int {
    let known = numbers[identity]
    if known != 0 { return Int(known) }
    let number = newNumber()
    numbers[identity] = UInt32(truncatingIfNeeded: number)
    return number
  }

  private mutating func newNumber() -> Int {
    bodies.append(-1)
    encoded.append(false)
    return bodies.count - 1
  }

  private mutating func begin(
    _ item: Int, _ number: Int, _ source: any ArchiveSource
  ) throws(ArchiveError) {
    encoded[number] = true
    let start = fields.count
    let classIndex =
      if item < 0 {
        putFields(of: values[-item - 1])
      } else {
        try source.encode(.number(item), into: &self)
      }
    open.append(
      OpenObject(
        number: number, classIndex: classIndex, start: start, end: fields.count, next: start))
  }

  private mutating func close() {
    let object = open.removeLast()
    append(classKeys.type, .node, graph.add(uid: classNumber(object.classIndex)))
    bodies[object.number] = Int32(
      truncatingIfNeeded: dictionary(from: object.start, object.classIndex + 1))
  }

  /// A class is referred to after an instance's fields.
  private mutating func classNumber(_ index: Int) -> Int {
    if classNumbers[index] == 0 {
      let number = newNumber()
      classNumbers[index] = number
      let name = classNameNode(classes[index].name)
      let chain = graph.add(array: classes[index].chain.map { classNameNode($0) })
      encoded[number] = true
      let start = fields.count
      append(classKeys.name, .node, name)
      append(classKeys.chain, .node, chain)
      bodies[number] = Int32(truncatingIfNeeded: dictionary(from: start, 0))
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

  /// Makes the dictionary of the last fields, its keys in the order of Foundation's hash tables, and
  /// takes the fields away.
  ///
  /// - Parameter kind: Which of the last shapes is likely: 0 for class descriptions, the others by
  ///   class.
  private mutating func dictionary(from start: Int, _ kind: Int) -> Int {
    shapeKeys.removeAll(keepingCapacity: true)
    shapeValues.removeAll(keepingCapacity: true)
    var position = start
    while position < fields.count {
      let field = fields[position]
      shapeKeys.append(field.key)
      if field.kind == .list {
        shapeValues.append(UInt32(truncatingIfNeeded: list(position + 1, count: field.value)))
        position += field.value
      } else {
        shapeValues.append(UInt32(truncatingIfNeeded: field.value))
      }
      position += 1
    }
    fields.removeLast(fields.count - start)
    let shape = shapeIndex(kind)
    return graph.addDictionary(
      keys: shapes[shape].keyNodes, values: shapeValues, order: shapes[shape].order)
  }

  private mutating func list(_ start: Int, count: Int) -> Int {
    var members: [UInt32] = []
    members.reserveCapacity(count)
    for field in fields[start..<start + count] {
      members.append(UInt32(truncatingIfNeeded: field.value))
    }
    return graph.addArray(members)
  }

  /// The shape of an object that has the keys gathered last.
  private mutating func shapeIndex(_ kind: Int) -> Int {
    let last = lastShapes[kind]
    if last >= 0, shapes[last].keys == shapeKeys { return last }
    if let known = shapeIndexes[shapeKeys] {
      lastShapes[kind] = known
      return known
    }
    let order = CoreFoundationOrder.grown(
      hashes: shapeKeys.map { style.hash(keys.texts[Int($0)]) })
    let nodes = order.map { keyNode(Int(shapeKeys[$0])) }
    shapes.append(
      DictionaryShape(keys: shapeKeys, order: order.map { UInt32($0) }, keyNodes: nodes))
    shapeIndexes[shapeKeys] = shapes.count - 1
    lastShapes[kind] = shapes.count - 1
    return shapes.count - 1
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
