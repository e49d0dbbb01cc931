/// Gives the fields of one object; see ``ArchiveDecodable/decode(from:)``.
///
/// A key that is missing and a key that is nil both give `nil`; a key of another type than asked
/// for is an error that names the object and the key.
public struct ArchiveObjectDecoder {
  let session: ArchiveDecodingSession
  /// The object's number in `$objects`.
  public let number: Int

  private var archive: KeyedArchive { session.archive }

  private func field(_ key: String) -> Int? {
    // A key of a program's that begins with a dollar has another before it: those with one are the
    // archive's own.
    let name = key.utf8.first == UInt8(ascii: "$") ? "$" + key : key
    return archive.list.value(forKey: name, ofDictionary: Int(archive.objects[number]))
  }

  private func mismatch(_ expected: String, _ key: String) -> ArchiveError {
    ArchiveError(.typeMismatch, "expected \(expected)", object: number, key: key)
  }

  /// Whether the object has a key, be it nil.
  public func contains(_ key: String) -> Bool { field(key) != nil }

  /// The object's keys, in the file's order.
  public var keys: [String] {
    archive.list.dictionary(at: Int(archive.objects[number]))?.keys
      .compactMap(archive.list.string).filter { $0 != "$class" }
      .map { $0.hasPrefix("$$") ? String($0.dropFirst()) : $0 } ?? []
  }

  /// A boolean that stands in the object itself.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type.
  public func boolean(forKey key: String) throws(ArchiveError) -> Bool? {
    guard let field = field(key) else { return nil }
    guard let value = archive.list.boolean(at: field) else { throw mismatch("a boolean", key) }
    return value
  }

  /// An integer that stands in the object itself.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type or exceeds 64 bits.
  public func integer(forKey key: String) throws(ArchiveError) -> Int? {
    guard let field = field(key) else { return nil }
    guard let value = archive.list.integer(at: field) else { throw mismatch("an integer", key) }
    return value
  }

  /// A number that stands in the object itself, as a `Double`.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type.
  public func double(forKey key: String) throws(ArchiveError) -> Double? {
    guard let field = field(key) else { return nil }
    guard let value = archive.list.double(at: field) else { throw mismatch("a number", key) }
    return value
  }

  /// Bytes that stand in the object itself.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type.
  public func bytes(forKey key: String) throws(ArchiveError) -> [UInt8]? {
    guard let field = field(key) else { return nil }
    guard let value = archive.list.data(at: field) else { throw mismatch("data", key) }
    return Array(value)
  }

  /// Text.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type.
  public func string(forKey key: String) throws(ArchiveError) -> String? {
    guard let value = try foundationValue(forKey: key) else { return nil }
    guard case .string(let text) = value else { throw mismatch("text", key) }
    try session.count(text)
    return text
  }

  /// A value of one of Foundation's plain classes, with all it holds.
  ///
  /// - Throws: ``ArchiveError`` for any other class.
  public func foundationValue(
    forKey key: String
  ) throws(ArchiveError) -> ArchiveFoundationValue? {
    guard let target = try reference(key), target != 0 else { return nil }
    return try session.foundationValue(target)
  }

  /// An object, whose own fields may not have been read yet.
  ///
  /// - Throws: ``ArchiveError`` when its class may not be decoded, or is not the one asked for.
  public func object<Object: ArchiveDecodable>(
    _ type: Object.Type = Object.self, forKey key: String
  ) throws(ArchiveError) -> Object? {
    guard let target = try reference(key), target != 0, !isNull(target) else { return nil }
    return try instance(target, key)
  }

  /// The objects of an array or set.
  ///
  /// - Throws: ``ArchiveError`` when a member's class may not be decoded, or is not the one asked
  ///   for.
  public func objects<Object: ArchiveDecodable>(
    _ type: Object.Type = Object.self, forKey key: String
  ) throws(ArchiveError) -> [Object]? {
    guard let target = try reference(key), target != 0 else { return nil }
    guard
      let members = archive.list.value(
        forKey: "NS.objects", ofDictionary: Int(archive.objects[target])),
      let elements = archive.list.elements(at: members)
    else { throw mismatch("an array", key) }
    try session.count(references: elements.count, on: target)
    var objects: [Object] = []
    for element in elements {
      guard let member = archive.reference(element) else { throw mismatch("references", key) }
      objects.append(try instance(member, key))
    }
    return objects
  }

  private func reference(_ key: String) throws(ArchiveError) -> Int? {
    guard let field = field(key) else { return nil }
    guard let target = archive.reference(field) else { throw mismatch("a reference", key) }
    return archive.isNil(target) ? 0 : target
  }

  /// Whether the text `$null` stands where an object should: in an XML archive each is by itself.
  private func isNull(_ target: Int) -> Bool {
    archive.list.asciiBytes(at: Int(archive.objects[target]))?.elementsEqual("$null".utf8) ?? false
  }

  private func instance<Object: ArchiveDecodable>(
    _ target: Int, _ key: String
  ) throws(ArchiveError) -> Object {
    let instance = try session.instance(target)
    guard let object = instance as? Object else {
      throw mismatch("\(Object.archiveClass.name), found \(type(of: instance))", key)
    }
    return object
  }
}
