import PropertyLists

/// Reads the objects of an open archive field by field, caching keys, classes and strings by object number.
///
/// In a binary property list, equal keys are one object. Each key object is examined once, and afterwards recognized by
/// a table lookup. The same goes for classes. Each string is decoded once, even if many objects share it.
final class ArchiveFieldReader {
  /// A field of an object: its key, and the property list object of its value.
  struct Field {
    /// The key, if it is one of a model's keys.
    var key: ModelKey?
    /// The property list object of the key.
    var keyObject: Int
    /// The property list object of the value.
    var value: Int
  }

  let archive: KeyedArchive
  private let list: BinaryPropertyList
  /// Valid for the duration of decoding.
  private let scanner: BinaryScanner
  /// What is known about a property list object as a key.
  private enum KeyState {
    case unseen
    case foreign
    case known(ModelKey)
  }

  /// The property list object for each object of the archive.
  private let objects: [UInt32]
  // Raw memory, because these tables are accessed for every field of a large file, and arrays stored in a class incur
  // exclusivity checks and reference counting at each access.
  /// The key that each property list object represents.
  private let keys: UnsafeMutableBufferPointer<KeyState>
  /// The string of each object of the archive, once it has been decoded.
  private let strings: UnsafeMutableBufferPointer<String?>
  /// The classes met so far; a model's archive describes about ten.
  @exclusivity(unchecked) private var classes: [ArchivedModelClass] = []
  /// Those that don't fit there, by the number of the object that describes them.
  @exclusivity(unchecked) private var furtherClasses: [Int: ArchivedModelClass] = [:]
  private static let fewClasses = 16
  @exclusivity(unchecked) private var lastClass: (reference: Int, type: ArchivedModelClass)?
  /// Recently used layouts, indexed by a hash of their keys.
  @exclusivity(unchecked) private var shapes = [ArchiveFieldLayout?](repeating: nil, count: 64)
  @exclusivity(unchecked) private var stringBytes = 0
  /// How many more members of collections may be read.
  @exclusivity(unchecked) private var membersLeft: Int

  private static let known: [String: ModelKey] = Dictionary(
    uniqueKeysWithValues: ModelKey.allCases.map { ($0.text, $0) })

  init(_ archive: KeyedArchive, _ scanner: BinaryScanner) {
    self.archive = archive
    self.scanner = scanner
    list = archive.list
    objects = archive.objects
    membersLeft = archive.list.referenceCount &* 16 &+ 1024
    keys = .allocate(capacity: archive.list.count)
    keys.initialize(repeating: .unseen)
    strings = .allocate(capacity: archive.count)
    strings.initialize(repeating: nil)
  }

  deinit {
    keys.deallocate()
    strings.deinitialize()
    strings.deallocate()
  }

  // MARK: Objects

  /// The class of an object.
  ///
  /// - Throws: ``ArchiveError`` when the object is not an instance.
  func type(of number: Int, _ key: ModelKey? = nil) throws(ArchiveError) -> ArchivedModelClass {
    guard let reference = classReference(of: number) else { throw noInstance(number, key) }
    return type(describedBy: reference)
  }

  private func noInstance(_ number: Int, _ key: ModelKey?) -> ArchiveError {
    ArchiveError(
      .typeMismatch, "expected an instance of a class", object: number, key: key?.text,
      offset: archive.offset(ofObject: number))
  }

  /// The class of an object; `nil` when it is not an instance.
  func optionalType(of number: Int) -> ArchivedModelClass? {
    classReference(of: number).map(type(describedBy:))
  }

  private func type(describedBy reference: Int) -> ArchivedModelClass {
    if let lastClass, lastClass.reference == reference { return lastClass.type }
    let type = knownType(reference) ?? newType(reference)
    lastClass = (reference, type)
    return type
  }

  private func knownType(_ reference: Int) -> ArchivedModelClass? {
    for type in classes where type.reference == reference { return type }
    return furtherClasses.isEmpty ? nil : furtherClasses[reference]
  }

  private func newType(_ reference: Int) -> ArchivedModelClass {
    let described = archive.describedClass(at: reference) ?? ArchiveClass(chain: [])
    let type = ArchivedModelClass(described, reference: reference)
    if classes.count < Self.fewClasses {
      classes.append(type)
    } else {
      furtherClasses[reference] = type
    }
    return type
  }

  private func classReference(of number: Int) -> Int? {
    guard let (keys, values) = scanner.dictionary(Int(objects[number])) else {
      return nil
    }
    // The class is usually the last key or close to it.
    for position in (0..<keys.count).reversed() where key(keys[position]) == .type {
      return reference(values[position])
    }
    return nil
  }

  /// Calls a closure with each field of an object except its class.
  ///
  /// - Returns: The number of the class description.
  @discardableResult
  func forEachField(
    of number: Int, _ body: (Field) throws(ArchiveError) -> Void
  ) throws(ArchiveError) -> Int? {
    guard let (keys, values) = scanner.dictionary(Int(objects[number])) else { return nil }
    var type: Int?
    for position in 0..<keys.count {
      let keyObject = keys[position]
      let key = key(keyObject)
      if key == .type {
        type = reference(values[position])
      } else {
        try body(Field(key: key, keyObject: keyObject, value: values[position]))
      }
    }
    return type
  }

  /// The fields of a property, accessible by key.
  ///
  /// - Throws: ``ArchiveError`` when the object is not an instance.
  func propertyFields(_ number: Int) throws(ArchiveError) -> PropertyFields {
    guard let (keys, values) = scanner.dictionary(Int(objects[number])), keys.count > 0 else {
      throw noInstance(number, .properties)
    }
    let count = keys.count
    let slot = (count &+ keys[count / 2] &* 5 &+ keys[count - 1] &* 7) & (shapes.count - 1)
    if let shape = shapes[slot], shape.keys == keys {
      return PropertyFields(number, shape: shape, values: values)
    }
    let shape = ArchiveFieldLayout(keys, key: key)
    shapes[slot] = shape
    return PropertyFields(number, shape: shape, values: values)
  }

  /// The class of a property.
  ///
  /// - Throws: ``ArchiveError`` when the object is not an instance.
  func type(of fields: PropertyFields) throws(ArchiveError) -> ArchivedModelClass {
    guard let value = fields.type, let reference = reference(value) else {
      throw noInstance(fields.number, .properties)
    }
    return type(describedBy: reference)
  }

  /// Whether an object is an empty dictionary.
  func isEmptyDictionary(_ number: Int) -> Bool {
    guard let value = value(.collectionKeys, of: number) else { return false }
    return scanner.elements(value)?.count == 0
  }

  /// The value of one field of an object; `nil` when it has no such field.
  func value(_ wanted: ModelKey, of number: Int) -> Int? {
    guard let (keys, values) = scanner.dictionary(Int(objects[number])) else {
      return nil
    }
    for position in 0..<keys.count where key(keys[position]) == wanted { return values[position] }
    return nil
  }

  @inline(__always)
  private func key(_ object: Int) -> ModelKey? {
    switch keys[object] {
    case .known(let key): key
    case .foreign: nil
    case .unseen: newKey(object)
    }
  }

  private func newKey(_ object: Int) -> ModelKey? {
    let key = list.string(at: object).flatMap { Self.known[$0] }
    keys[object] = key.map { .known($0) } ?? .foreign
    return key
  }

  /// The number that a property list object refers to; `nil` when it is not a reference.
  @inline(__always)
  func reference(_ object: Int) -> Int? {
    let number = scanner.uid(object)
    return number < 0 ? nil : number
  }

  // MARK: Values of fields

  /// The object a field refers to; `nil` for nil.
  func reference(_ field: Field, of number: Int) throws(ArchiveError) -> Int? {
    guard let target = reference(field.value) else {
      throw mismatch("a reference", in: field, of: number)
    }
    return target == 0 ? nil : target
  }

  func boolean(_ field: Field, of number: Int) throws(ArchiveError) -> Bool {
    if let value = scanner.boolean(field.value) { return value }
    if let value = scanner.integer(field.value) { return value != 0 }
    throw mismatch("a boolean", in: field, of: number)
  }

  func integer(_ field: Field, of number: Int) throws(ArchiveError) -> Int {
    if let value = scanner.integer(field.value) { return value }
    if let value = scanner.boolean(field.value) { return value ? 1 : 0 }
    throw mismatch("an integer", in: field, of: number)
  }

  func double(_ field: Field, of number: Int) throws(ArchiveError) -> Double {
    guard let value = list.double(at: field.value) else {
      throw mismatch("a number", in: field, of: number)
    }
    return value
  }

  /// The string of a field, from a plain or mutable string object; `nil` for nil.
  func string(_ field: Field, of number: Int) throws(ArchiveError) -> String? {
    guard let target = reference(field.value) else {
      if let text = list.string(at: field.value) { return text }
      throw mismatch("text", in: field, of: number)
    }
    if target == 0 { return nil }
    guard let text = try string(at: target) else { throw mismatch("text", in: field, of: number) }
    return text
  }

  /// The string of an object, decoded once; `nil` when the object is not a string.
  func string(at number: Int) throws(ArchiveError) -> String? {
    if let made = strings[number] { return made }
    let object = Int(objects[number])
    let text: String?
    if let plain = scanner.ascii(object) ?? list.string(at: object) {
      text = plain
    } else if optionalType(of: number)?.kind == .string, let value = value(.string, of: number) {
      text =
        list.string(at: value)
        ?? reference(value).flatMap { list.string(at: Int(archive.objects[$0])) }
    } else {
      text = nil
    }
    guard let text else { return nil }
    stringBytes += text.utf8.count
    guard stringBytes <= archive.limits.stringByteCount else {
      throw ArchiveError(
        .limitExceeded, "text takes more than \(archive.limits.stringByteCount) bytes",
        object: number)
    }
    strings[number] = text
    return text
  }

  /// The members of an array or set object, as object numbers; 0 for nil.
  func members(ofCollection number: Int, _ key: ModelKey) throws(ArchiveError) -> [Int] {
    switch try type(of: number, key).kind {
    case .array, .set: break
    default:
      throw ArchiveError(
        .typeMismatch, "expected an array or a set", object: number, key: key.text,
        offset: archive.offset(ofObject: number))
    }
    return try references(under: .collectionObjects, of: number)
  }

  /// The names and members of a dictionary object with string keys, in its order.
  ///
  /// Supports the two classes that Core Data writes into stores, which keep their keys in a separate object.
  func entries(
    ofDictionary number: Int, _ key: ModelKey
  ) throws(ArchiveError) -> [(name: String, value: Int)] {
    let names: [Int]
    var values: [Int]
    var empty: Int?
    switch try type(of: number, key).kind {
    case .dictionary:
      names = try references(under: .collectionKeys, of: number)
      values = try references(under: .collectionObjects, of: number)
    case .knownKeysDictionary:
      let mapping = try required(.searchMapping, of: number)
      let mappingKeys = try required(.mappingKeys, of: mapping)
      names = try members(ofCollection: mappingKeys, .mappingKeys)
      values = try members(ofCollection: required(.mappingValues, of: number), .mappingValues)
      empty = value(.emptyToken, of: number).flatMap(reference)
    default:
      throw ArchiveError(
        .typeMismatch, "expected a dictionary", object: number, key: key.text,
        offset: archive.offset(ofObject: number))
    }
    // A table of known keys may end with unused slots.
    if empty != nil, values.count > names.count { values.removeLast(values.count - names.count) }
    guard names.count == values.count else {
      throw ArchiveError(
        .malformedArchive, "\(names.count) keys for \(values.count) values", object: number,
        key: key.text)
    }
    var entries: [(name: String, value: Int)] = []
    entries.reserveCapacity(names.count)
    for (name, value) in zip(names, values) where value != empty {
      guard let name = try string(at: name) else {
        throw ArchiveError(
          .typeMismatch, "a key is not text", object: number, key: key.text)
      }
      entries.append((name, value))
    }
    return entries
  }

  private func required(_ key: ModelKey, of number: Int) throws(ArchiveError) -> Int {
    guard let value = value(key, of: number), let target = reference(value), target != 0
    else {
      throw ArchiveError(.valueNotFound, "expected an object", object: number, key: key.text)
    }
    return target
  }

  private func references(
    under key: ModelKey, of number: Int
  ) throws(ArchiveError) -> [Int] {
    guard let value = value(key, of: number), let elements = scanner.elements(value) else {
      throw ArchiveError(
        .valueNotFound, "expected an array", object: number, key: key.text,
        offset: archive.offset(ofObject: number))
    }
    try count(references: elements.count, of: number)
    var references: [Int] = []
    references.reserveCapacity(elements.count)
    for position in 0..<elements.count {
      guard let reference = reference(elements[position]) else {
        throw ArchiveError(
          .typeMismatch, "expected references", object: number, key: key.text,
          offset: archive.offset(ofObject: number))
      }
      references.append(reference)
    }
    return references
  }

  /// Counts the members of a collection each time they are read, since any number of objects may share one collection.
  func count(references: Int, of number: Int) throws(ArchiveError) {
    membersLeft -= references
    guard membersLeft >= 0 else {
      throw ArchiveError(
        .limitExceeded, "objects hold the same collections too many times over", object: number)
    }
  }

  func mismatch(_ expected: String, in field: Field, of number: Int) -> ArchiveError {
    ArchiveError(
      .typeMismatch, "expected \(expected), found \(found(field.value))", object: number,
      key: list.string(at: field.keyObject), offset: list.offset(of: field.value))
  }

  private func found(_ value: Int) -> String {
    guard let target = reference(value) else { return list.value(at: value).kind }
    if target == 0 { return "nil" }
    return archive.archivedClass(ofObject: target)?.name
      ?? list.value(at: Int(archive.objects[target])).kind
  }
}
