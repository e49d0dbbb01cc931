/// Lays out the objects of an archive in exactly the order in which `NSKeyedArchiver` numbers them.
///
/// An object gets its number at the first reference to it. Its body is laid out at the first reference that is not
/// conditional, before the next field of the referring object. A stack of open objects replaces recursion: their fields
/// share one array, and an object's fields are requested from an ``ArchiveSource`` when its turn comes. Chains of any
/// length therefore need only bounded stack space, and objects cost no allocation of their own.
package struct ArchiveAssembler: ~Copyable {
  package typealias Identity = ArchiveIdentity

  private let style: ArchiveStyle
  private let sharesNumbers: Bool
  private(set) var graph = PropertyListGraph()

  private var keys: ArchiveKeyTable
  /// The node of each key; −1 before one has been created.
  private var keyNodes: [Int32] = []
  private var fields = PlainBuffer<Field>()
  private var open = PlainBuffer<OpenObject>()
  /// Whether the object being encoded has lists.
  private var hasLists = false
  /// The hash of the keys added to it so far.
  private var keyHash: UInt64 = 0
  /// Values of Foundation's classes that are waiting to be laid out as objects.
  private var values: [ArchiveFoundationValue] = []

  private var identities = PlainBuffer<IdentityState>()
  /// The node of each object's body, by number, or the progress marker of an unfinished body.
  private var bodies = PlainBuffer<Int32>()
  private static var notBegun: Int32 { -1 }
  private static var begun: Int32 { -2 }

  private var sharedTexts = SharedTexts()
  private var classNameNodes: [String: Int] = [:]
  private var int32Nodes = IntegerNodes()
  private var int64Nodes = IntegerNodes()
  private var doubleNodes: [UInt64: Int] = [:]
  private var floatNodes: [UInt32: Int] = [:]
  private var boxedIntegers: [Int: Identity] = [:]
  private var boxedDoubles: [UInt64: Identity] = [:]
  private var boxedFloats: [UInt32: Identity] = [:]
  private var boxedBooleans: [Identity?] = [nil, nil]
  /// The nodes of `false` and `true`.
  private let booleans: (Int, Int)

  private var classes: [ArchiveClass] = []
  /// The numbers of classes, once there are more than a few.
  private var classIndexes: [ArchiveClass: Int] = [:]
  private var classNumbers: [Int] = []
  private var shapes = PlainBuffer<DictionaryShape>()
  private var shapeWords = PlainBuffer<UInt32>()
  /// The numbers of the shapes, by key hash.
  private var shapeIndexes = ProbingTable(slots: 64, filler: 0)
  private var classKeys: (name: Int, chain: Int, type: Int) = (0, 0, 0)

  package init(keys: ArchiveKeyTable, style: ArchiveStyle) {
    self.style = style
    sharesNumbers = style.numberSharing == .byValue
    self.keys = keys
    booleans = (graph.add(boolean: false), graph.add(boolean: true))
    classKeys = (key("$classname"), key("$classes"), key("$class"))
    // Object 0.
    bodies.append(Int32(graph.add(string: "$null")))
  }

  /// The number that identifies a key.
  package mutating func key(_ key: String) -> Int {
    keys.number(of: key)
  }

  /// The node of a key, shared by all its uses.
  private mutating func keyNode(_ key: Int) -> UInt32 {
    while keyNodes.count <= key { keyNodes.append(-1) }
    if keyNodes[key] < 0 {
      keyNodes[key] = Int32(truncatingIfNeeded: graph.add(string: keys.texts[key]))
    }
    return UInt32(truncatingIfNeeded: keyNodes[key])
  }

  /// The number by which a source refers to a class.
  package mutating func classIndex(_ type: ArchiveClass) -> Int {
    // Most archives have few classes, for which comparing is faster than hashing.
    if let known = classes.prefix(Self.fewClasses).firstIndex(of: type) { return known }
    if classes.count > Self.fewClasses, let known = classIndexes[type] { return known }
    classes.append(type)
    classNumbers.append(0)
    if classes.count > Self.fewClasses { classIndexes[type] = classes.count - 1 }
    return classes.count - 1
  }

  private static var fewClasses: Int { 24 }

  /// Creates an identity for an object that has not been referenced yet.
  package mutating func newIdentity() -> Identity {
    identities.append(IdentityState())
    return Identity(index: identities.count &- 1)
  }

  /// Creates a number of consecutive identities.
  ///
  /// - Returns: The first; use ``ArchiveIdentity/advanced(by:)`` to get the others.
  package mutating func newIdentities(_ count: Int) -> Identity {
    let first = identities.count
    identities.append(repeating: IdentityState(), count: count)
    return Identity(index: first)
  }

  /// Reserves space for a number of objects with a total number of fields.
  package mutating func reserveCapacity(objects: Int, fields: Int) {
    bodies.reserveCapacity(objects)
    graph.reserveCapacity(nodes: objects, references: fields &* 2)
  }

  private mutating func leaf(_ node: Int) -> Identity {
    identities.append(IdentityState(leaf: Int32(truncatingIfNeeded: node)))
    return Identity(index: identities.count &- 1)
  }

  // MARK: Values that stand in `$objects`

  /// A string that is one object wherever it occurs.
  package mutating func text(_ text: String) -> Identity {
    let entry = sharedTexts.entry(of: text, in: graph.contents)
    if let known = entry.identity { return Identity(index: known) }
    let node = graph.add(string: text)
    let identity = leaf(node)
    sharedTexts.insert(
      text, entry, identity: identity.index, start: graph.startOfASCII(node))
    return identity
  }

  /// A string that is an object of its own, unless it fits a tagged pointer.
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
    let identity = leaf(value ? booleans.1 : booleans.0)
    boxedBooleans[value ? 1 : 0] = identity
    return identity
  }

  package mutating func boxed(data bytes: some Collection<UInt8>) -> Identity {
    leaf(graph.add(data: bytes))
  }

  /// A leaf for a node that was added separately.
  package mutating func boxed(node: Int) -> Identity { leaf(node) }

  // MARK: Fields of the object that is being encoded

  package mutating func put(_ key: Int, boolean value: Bool) {
    append(key, kind: .node, value: value ? booleans.1 : booleans.0)
  }

  package mutating func put(_ key: Int, int32 value: Int) {
    append(key, kind: .node, value: int32Node(value))
  }

  package mutating func put(_ key: Int, int64 value: Int) {
    append(key, kind: .node, value: int64Node(value))
  }

  package mutating func put(_ key: Int, double value: Double) {
    append(key, kind: .node, value: doubleNode(value))
  }

  mutating func put(_ key: Int, data bytes: some Collection<UInt8>) {
    append(key, kind: .node, value: graph.add(data: bytes))
  }

  /// Adds a node that was added separately.
  package mutating func put(_ key: Int, node: Int) {
    append(key, kind: .node, value: node)
  }

  package mutating func putNil(_ key: Int) {
    append(key, kind: .node, value: PropertyListGraph.inlineUID)
  }

  package mutating func put(_ key: Int, leaf identity: Identity?) {
    guard let identity else { return putNil(key) }
    append(key, kind: .leaf, value: identity.index)
  }

  /// Adds an object that only this field refers to.
  package mutating func put(_ key: Int, object item: ArchiveItem) {
    put(key, object: item, newIdentity())
  }

  package mutating func put(_ key: Int, object item: ArchiveItem, _ identity: Identity) {
    note(key)
    fields.append(
      Field(
        key: UInt32(truncatingIfNeeded: key), kind: .object, value: identity.index,
        item: stored(item)))
  }

  package mutating func put(_ key: Int, conditional identity: Identity?) {
    guard let identity else { return putNil(key) }
    append(key, kind: .conditional, value: identity.index)
  }

  /// Begins an array under a key; the given number of following fields become its members.
  ///
  /// The keys of the members are ignored.
  package mutating func put(_ key: Int, listOf count: Int) {
    hasLists = true
    append(key, kind: .list, value: count)
  }

  @inline(__always)
  private mutating func append(_ key: Int, kind: Field.Kind, value: Int) {
    note(key)
    fields.append(Field(key: UInt32(truncatingIfNeeded: key), kind: kind, value: value))
  }

  @inline(__always)
  private mutating func note(_ key: Int) {
    keyHash = (keyHash ^ UInt64(UInt32(truncatingIfNeeded: key))) &* 0x9E37_79B9_7F4A_7C15
    keyHash ^= keyHash >> 32
  }

  /// Encodes an item as a plain number.
  private mutating func stored(_ item: ArchiveItem) -> Int {
    switch item {
    case .number(let number): return number
    case .foundation(let value):
      values.append(value)
      return -values.count
    }
  }

  // MARK: Nodes

  /// Adds an integer of a given width as a node that is not shared.
  package mutating func addNode(integer value: Int128, width: Int) -> Int {
    graph.add(integer: value, width: width)
  }

  /// Adds a value as a node that is not shared.
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

  @inline(__always)
  private mutating func int32Node(_ value: Int) -> Int {
    guard sharesNumbers else { return int64Node(value) }
    return Self.shared(value, in: &int32Nodes, &graph)
  }

  private mutating func int64Node(_ value: Int) -> Int {
    guard sharesNumbers || Self.smallIntegers.contains(value) else {
      return graph.add(integer: value)
    }
    return Self.shared(value, in: &int64Nodes, &graph)
  }

  private static let smallIntegers = 0...12

  private func sharesBoxed(_ value: Int) -> Bool {
    style.numberSharing != .smallIntegers || Self.smallIntegers.contains(value)
  }

  @inline(__always)
  private static func shared(
    _ value: Int, in pool: inout IntegerNodes, _ graph: inout PropertyListGraph
  ) -> Int {
    if let node = pool.node(of: value) { return node }
    return added(value, to: &pool, &graph)
  }

  @inline(never)
  private static func added(
    _ value: Int, to pool: inout IntegerNodes, _ graph: inout PropertyListGraph
  ) -> Int {
    let node = graph.add(integer: value)
    pool.insert(value, node: node)
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

  /// Lays out an object and everything it refers to.
  ///
  /// - Returns: Its number.
  package mutating func encode(
    _ item: ArchiveItem, _ identity: Identity, asking source: any ArchiveSource
  ) throws(ArchiveError) -> Int {
    let number = number(of: identity.index)
    // An object archived by name may already have been reached through another.
    if bodies[number] == Self.notBegun { try begin(stored(item), as: number, from: source) }
    while open.count > 0 {
      let last = open.count &- 1
      let object = open[last]
      // Lay out the fields up to the next object that must be laid out first.
      if let inner = layOut(object.next..<object.end) {
        open[last].next = inner.position &+ 1
        try begin(inner.item, as: inner.number, from: source)
      } else {
        close()
      }
    }
    return number
  }

  /// Assigns nodes to fields of the innermost object, up to the first field whose object must be laid out now.
  private mutating func layOut(
    _ range: Range<Int>
  ) -> (position: Int, item: Int, number: Int)? {
    var position = range.lowerBound
    while position < range.upperBound {
      let field = fields[position]
      switch field.kind {
      case .node, .list: break
      case .leaf:
        let number = number(of: field.value)
        if bodies[number] == Self.notBegun { bodies[number] = identities[field.value].leaf }
        setNode(uid: number, at: position)
      case .conditional:
        setNode(uid: number(of: field.value), at: position)
      case .object:
        let number = number(of: field.value)
        setNode(uid: number, at: position)
        if bodies[number] == Self.notBegun { return (position, field.item, number) }
      }
      position &+= 1
    }
    return nil
  }

  @inline(__always)
  private mutating func setNode(uid number: Int, at position: Int) {
    fields[position].kind = .node
    fields[position].value = PropertyListGraph.node(ofUID: number) ?? graph.add(uid: number)
  }

  /// The object number for an identity, assigned at the first reference.
  @inline(__always)
  private mutating func number(of identity: Int) -> Int {
    let known = identities[identity].number
    if known != 0 { return Int(known) }
    let number = newNumber()
    identities[identity].number = UInt32(truncatingIfNeeded: number)
    return number
  }

  private mutating func newNumber() -> Int {
    bodies.append(Self.notBegun)
    return bodies.count &- 1
  }

  private mutating func begin(
    _ item: Int, as number: Int, from source: any ArchiveSource
  ) throws(ArchiveError) {
    bodies[number] = Self.begun
    let start = fields.count
    hasLists = false
    keyHash = HashSeed.value
    let classIndex =
      if item < 0 {
        putFields(of: values[-item - 1])
      } else {
        try source.encode(.number(item), into: &self)
      }
    open.append(
      OpenObject(
        number: number, classIndex: classIndex, start: start, end: fields.count, next: start,
        hasLists: hasLists, keyHash: keyHash))
  }

  private mutating func close() {
    let object = open[open.count &- 1]
    open.removeLast(1)
    let type = classNumber(object.classIndex)
    if object.hasLists {
      foldLists(from: object.start)
      hashKeys(from: object.start)
    } else {
      keyHash = object.keyHash
    }
    append(
      classKeys.type, kind: .node,
      value: PropertyListGraph.node(ofUID: type) ?? graph.add(uid: type))
    bodies[object.number] = Int32(truncatingIfNeeded: dictionary(from: object.start))
  }

  private mutating func hashKeys(from start: Int) {
    keyHash = HashSeed.value
    for position in start..<fields.count { note(Int(fields[position].key)) }
  }

  /// A class is referenced after its instance's fields.
  private mutating func classNumber(_ index: Int) -> Int {
    if classNumbers[index] == 0 {
      let number = newNumber()
      classNumbers[index] = number
      let name = classNameNode(classes[index].name)
      let names = classes[index].chain.map { classNameNode($0) }
      let chain = graph.add(array: names)
      let start = fields.count
      keyHash = HashSeed.value
      append(classKeys.name, kind: .node, value: name)
      append(classKeys.chain, kind: .node, value: chain)
      bodies[number] = Int32(truncatingIfNeeded: dictionary(from: start))
    }
    return classNumbers[index]
  }

  private mutating func classNameNode(_ name: String) -> Int {
    if style.tags(name) { return Int(identities[text(name).index].leaf) }
    if !style.sharesClassNames || style.distinctClassNames.contains(name) {
      return graph.add(string: name)
    }
    if let node = classNameNodes[name] { return node }
    let node = graph.add(string: name)
    classNameNodes[name] = node
    return node
  }

  /// Creates the dictionary for the last fields, its keys in the order of Foundation's hash tables, and removes the
  /// fields.
  private mutating func dictionary(from start: Int) -> Int {
    let range = start..<fields.count
    let shape = shapes[shapeIndex(range)]
    let node = graph.addDictionary(keys: UnsafeBufferPointer(shapeWords.values(shape.keyNodes))) {
      members in
      let places = shapeWords.values(shape.places)
      let fields = fields.values(range)
      for index in 0..<range.count {
        members[Int(places[index])] = UInt32(truncatingIfNeeded: fields[index].value)
      }
    }
    fields.removeLast(range.count)
    return node
  }

  /// Replaces the lists among the last fields by arrays, and closes the gaps.
  private mutating func foldLists(from start: Int) {
    var end = start
    var position = start
    while position < fields.count {
      var field = fields[position]
      position &+= 1
      if field.kind == .list {
        let members = fields.values(position..<position + field.value)
        position += field.value
        field.kind = .node
        field.value = graph.addArray(count: members.count) { array in
          for place in 0..<members.count {
            array[place] = UInt32(truncatingIfNeeded: members[place].value)
          }
        }
      }
      fields[end] = field
      end &+= 1
    }
    fields.removeLast(position - end)
  }

  /// The shape of an object with these fields, whose keys have been hashed.
  private mutating func shapeIndex(_ range: Range<Int>) -> Int {
    let hash = UInt32(truncatingIfNeeded: keyHash)
    if let known = shapeIndexes.first(of: hash, where: { hasShape($0, range) }) { return known }
    shapeIndexes.insert(shapes.count, hash: hash)
    addShape(fields.values(range).map(\.key))
    return shapes.count - 1
  }

  @inline(__always)
  private func hasShape(_ index: Int, _ range: Range<Int>) -> Bool {
    let shape = shapes[index]
    guard shape.count == range.count else { return false }
    let keys = shapeWords.values(shape.keys)
    let fields = fields.values(range)
    for index in 0..<range.count where keys[index] != fields[index].key { return false }
    return true
  }

  private mutating func addShape(_ keys: [UInt32]) {
    let order = CoreFoundationOrder.grown(
      hashes: keys.map { style.cut(self.keys.hashes[Int($0)]) })
    let nodes = order.map { keyNode(Int(keys[$0])) }
    shapes.append(DictionaryShape(start: shapeWords.count, count: keys.count))
    for key in keys { shapeWords.append(key) }
    var places = [UInt32](repeating: 0, count: keys.count)
    for (place, position) in order.enumerated() { places[position] = UInt32(place) }
    for place in places { shapeWords.append(place) }
    for node in nodes { shapeWords.append(node) }
  }

  // MARK: The archive

  /// The archive's property list.
  ///
  /// - Parameter top: The numbers of the objects archived by name.
  package mutating func finish(top: [(key: String, number: Int)]) -> PropertyListGraph {
    let topOrder = CoreFoundationOrder.grown(top.map(\.key))
    let topKeys = topOrder.map { graph.add(string: top[$0].key) }
    let topValues = topOrder.map { graph.add(uid: top[$0].number) }
    // An object with only conditional references becomes nil.
    let null = UInt32(truncatingIfNeeded: bodies[0])
    let keys = ["$archiver", "$objects", "$top", "$version"]
    let values = [
      graph.add(string: "NSKeyedArchiver"),
      graph.addArray(count: bodies.count) { members in
        for (number, body) in bodies.values(0..<bodies.count).enumerated() {
          members[number] = body < 0 ? null : UInt32(truncatingIfNeeded: body)
        }
      },
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
