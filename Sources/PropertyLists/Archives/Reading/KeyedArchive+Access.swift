extension KeyedArchive {
  /// Returns an object with its fields; objects it refers to are represented by their numbers.
  ///
  /// - Precondition: An object with that number exists.
  public func object(at number: Int) -> ArchivedObject {
    if isNil(number) { return .null }
    let index = Int(objects[number])
    guard list.marker(at: index) == .dictionary else { return .value(value(at: index)) }
    if let described = describedClass(at: number) { return .classDescription(described) }
    guard let type = archivedClass(ofObject: number) else { return .value(value(at: index)) }
    return .instance(type, fields: fields(ofDictionary: index).filter { $0.key != "$class" })
  }

  /// Whether a number represents nil: either 0, or a number that an archiver assigned to an object that turned out to
  /// have only conditional references, in whose place it writes another reference to `$null`.
  func isNil(_ number: Int) -> Bool {
    objects[number] == objects[0]
  }

  /// The class of an instance; `nil` for nil, values and class descriptions.
  public func archivedClass(ofObject number: Int) -> ArchiveClass? {
    classReference(ofObject: number).flatMap { classes[$0] }
  }

  /// The number of the object that describes an instance's class.
  func classReference(ofObject number: Int) -> Int? {
    list.value(forKey: "$class", ofDictionary: Int(objects[number])).flatMap(reference)
  }

  /// The class that an object describes; `nil` if it does not describe one.
  package func describedClass(at number: Int) -> ArchiveClass? {
    let index = Int(objects[number])
    guard let name = list.value(forKey: "$classname", ofDictionary: index).flatMap(list.string)
    else { return nil }
    let chain = list.value(forKey: "$classes", ofDictionary: index).flatMap(list.elements)
    let names = chain?.compactMap(list.string) ?? []
    return ArchiveClass(chain: names.first == name ? names : [name] + names)
  }

  /// The number that a property list object refers to; `nil` if it is not a reference.
  package func reference(_ index: Int) -> Int? {
    list.uid(at: index).map { Int(truncatingIfNeeded: $0) }
  }

  /// The byte offset of an object in the file, for messages.
  public func offset(ofObject number: Int) -> Int {
    list.offset(of: Int(objects[number]))
  }

  /// Converts a property list object to a value, with references as numbers.
  ///
  /// The depth of the recursion was bounded when the list was opened.
  package func value(at index: Int) -> ArchiveValue {
    list.archiveValue(
      at: index, reference: { .reference(Int(truncatingIfNeeded: $0)) }, member: value,
      fields: { _, _ in fields(ofDictionary: index) })
  }

  /// The keys and values of a dictionary, in file order.
  func fields(ofDictionary index: Int) -> [ArchiveField] {
    guard let (keys, values) = list.dictionary(at: index) else { return [] }
    return zip(keys, values).map { key, value in
      ArchiveField(list.string(at: key) ?? "", self.value(at: value))
    }
  }

  /// Verifies that every value under `$class` describes a class.
  ///
  /// - Returns: The classes, keyed by the number of the object that describes them.
  func soundClasses() throws(ArchiveError) -> ArchiveClassTable {
    var search = ClassKeySearch(list)
    let sound = ArchiveClassTable(objectCount: count)
    // No object has this number; −1 marks a value that is not a reference.
    var last = -2
    try list.withScanner { scanner throws(ArchiveError) in
      for number in objects.indices {
        guard let (keys, values) = scanner.dictionary(Int(objects[number])),
          let position = search.position(in: keys)
        else { continue }
        let described = scanner.uid(values[position])
        if described == last { continue }
        try checkClass(described, of: number, value: values[position], sound)
        last = described
      }
    }
    return sound
  }

  private func checkClass(
    _ described: Int, of number: Int, value: Int, _ sound: ArchiveClassTable
  ) throws(ArchiveError) {
    guard described >= 0 else {
      throw ArchiveError(
        .malformedArchive, "it is not a reference", object: number, key: "$class",
        offset: list.offset(of: value))
    }
    guard sound[described] == nil else { return }
    let chain = list.value(forKey: "$classes", ofDictionary: Int(objects[described]))
    let isChainSound =
      chain.map { list.elements(at: $0)?.allSatisfy { list.string(at: $0) != nil } ?? false }
      ?? true
    guard isChainSound, let type = describedClass(at: described) else {
      throw ArchiveError(
        .malformedArchive, "object \(described) does not describe a class", object: number,
        key: "$class", offset: offset(ofObject: described))
    }
    sound.add(type, describedBy: described)
  }
}

/// Finds `$class` among the keys of an archive's objects.
private struct ClassKeySearch {
  private enum State: UInt8 {
    case unseen, isClass, isOther
  }

  private let list: BinaryPropertyList
  /// What is known of each property list object as a key: each is examined only once.
  private var states: [State]
  /// Keys seen last, by the low bits of their number, and the position of `$class` among them: most objects have the
  /// keys of one before them.
  private var seen = [(keys: BinaryScanner.References, position: Int?)?](repeating: nil, count: 16)

  init(_ list: BinaryPropertyList) {
    self.list = list
    states = Array(repeating: .unseen, count: list.count)
  }

  mutating func position(in keys: BinaryScanner.References) -> Int? {
    if let known = seen[keys.count & 15], known.keys == keys { return known.position }
    // The class is usually the last key or close to it.
    let position = (0..<keys.count).reversed().first { isClass(keys[$0]) }
    seen[keys.count & 15] = (keys, position)
    return position
  }

  private mutating func isClass(_ key: Int) -> Bool {
    if states[key] == .unseen {
      states[key] = list.string(at: key) == "$class" ? .isClass : .isOther
    }
    return states[key] == .isClass
  }
}

extension BinaryPropertyList {
  /// Converts an object to an archive value; the caller converts references, members and fields.
  func archiveValue(
    at index: Int, reference: (UInt64) -> ArchiveValue, member: (Int) -> ArchiveValue,
    fields: (_ keys: [Int], _ values: [Int]) -> [ArchiveField]
  ) -> ArchiveValue {
    switch value(at: index) {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value, let width): .integer(value, width: width)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .date(let seconds): .date(seconds)
    case .data(let bytes): .data(bytes)
    case .string(let text): .string(text)
    case .uid(let number): reference(number)
    case .array(let members): .array(members.map(member))
    case .set(let members): .set(members.map(member))
    case .dictionary(let keys, let values): .dictionary(fields(keys, values))
    }
  }
}
