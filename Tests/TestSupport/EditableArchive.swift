import PropertyLists

/// A keyed archive as plain data for deliberate damage: every object can be replaced, and nothing is checked.
///
/// ```swift
/// var archive = try EditableArchive(bytes)
/// let entity = archive.instances(of: "NSEntityDescription")[0]
/// archive[entity, "NSEntityName"] = .integer(1, width: 1)
/// let broken = archive.bytes
/// ```
public struct EditableArchive {
  /// The objects in `$objects`, as in the property list.
  public var objects: [ArchiveValue]
  /// The fields of `$top`.
  public var top: [ArchiveField]
  /// The value of `$archiver`; `nil` for none.
  public var archiver: ArchiveValue? = .string("NSKeyedArchiver")
  /// The value of `$version`; `nil` for none.
  public var version: ArchiveValue? = .integer(100_000, width: 4)

  /// Creates an archive that contains only nil, with an empty `$top`.
  public init() {
    objects = [.string("$null")]
    top = []
  }

  /// Takes over an archive's objects.
  public init(_ bytes: [UInt8]) throws(ArchiveError) {
    let archive = try KeyedArchive(bytes)
    objects = archive.objects.map { archive.value(at: Int($0)) }
    top = archive.top
  }

  /// Adds an object, and returns its number.
  public mutating func add(_ object: ArchiveValue) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  /// Adds the description of a class, and returns its number.
  public mutating func addClass(_ chain: String...) -> Int {
    add(
      .dictionary([
        ArchiveField("$classname", .string(chain.first ?? "")),
        ArchiveField("$classes", .array(chain.map { .string($0) })),
      ]))
  }

  /// Adds an instance, and returns its number.
  public mutating func addInstance(of type: Int, _ fields: [ArchiveField] = []) -> Int {
    add(.dictionary(fields + [ArchiveField("$class", .reference(type))]))
  }

  /// The numbers of a class's instances.
  public func instances(of name: String) -> [Int] {
    objects.indices.filter { className(ofObject: $0) == name }
  }

  /// The name of an instance's class.
  public func className(ofObject number: Int) -> String? {
    guard case .reference(let type)? = self[number, "$class"], objects.indices.contains(type),
      case .string(let name)? = self[type, "$classname"]
    else { return nil }
    return name
  }

  /// An object's fields; empty if it isn't a dictionary.
  public func fields(ofObject number: Int) -> [ArchiveField] {
    if case .dictionary(let fields) = objects[number] { fields } else { [] }
  }

  /// The value of an object's key. Setting a missing key adds it; `nil` removes it.
  public subscript(number: Int, key: String) -> ArchiveValue? {
    get { fields(ofObject: number).first { $0.key == key }?.value }
    set {
      var fields = fields(ofObject: number)
      let position = fields.firstIndex { $0.key == key }
      switch (position, newValue) {
      case (let position?, let value?): fields[position].value = value
      case (let position?, nil): fields.remove(at: position)
      case (nil, let value?): fields.append(ArchiveField(key, value))
      case (nil, nil): break
      }
      objects[number] = .dictionary(fields)
    }
  }

  /// The object that a key of an object refers to.
  public func target(_ number: Int, _ key: String) -> Int? {
    if case .reference(let target)? = self[number, key] { target } else { nil }
  }

  /// The archive as a binary property list.
  public var bytes: [UInt8] {
    var graph = PropertyListGraph()
    var fields: [ArchiveField] = []
    if let version { fields.append(ArchiveField("$version", version)) }
    if let archiver { fields.append(ArchiveField("$archiver", archiver)) }
    fields.append(ArchiveField("$top", .dictionary(top)))
    fields.append(ArchiveField("$objects", .array(objects)))
    graph.root = Self.add(.dictionary(fields), to: &graph)
    return graph.binary()
  }

  private static func add(_ value: ArchiveValue, to graph: inout PropertyListGraph) -> Int {
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
    case .array(let members): graph.add(array: members.map { add($0, to: &graph) })
    case .set(let members): graph.add(set: members.map { add($0, to: &graph) })
    case .dictionary(let fields):
      graph.add(
        dictionary: fields.map { graph.add(string: $0.key) },
        values: fields.map { add($0.value, to: &graph) })
    }
  }
}
