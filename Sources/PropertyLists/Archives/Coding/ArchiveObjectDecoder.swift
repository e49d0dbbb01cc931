/// Decodes the fields of one object; see ``ArchiveDecodable/decode(from:)``.
///
/// Both a missing key and a key whose value is nil yield `nil`. A value of the wrong type is an error that names the
/// object and the key.
public struct ArchiveObjectDecoder {
  let session: ArchiveDecodingSession
  /// The object's number in `$objects`.
  public let number: Int

  private var archive: KeyedArchive { session.archive }

  private func field(_ key: String) -> Int? {
    // Keys with a leading dollar sign are reserved for the archive itself, so a program's own such key is stored with a
    // second one.
    let name = key.utf8.first == UInt8(ascii: "$") ? "$" + key : key
    return archive.list.value(forKey: name, ofDictionary: Int(archive.objects[number]))
  }

  private func mismatch(_ expected: String, _ key: String) -> ArchiveError {
    ArchiveError(.typeMismatch, "expected \(expected)", object: number, key: key)
  }

  /// Whether the object has a key, even if its value is nil.
  public func contains(_ key: String) -> Bool { field(key) != nil }

  /// The object's keys, in file order.
  public var keys: [String] {
    archive.list.dictionary(at: Int(archive.objects[number]))?.keys
      .compactMap(archive.list.string).filter { $0 != "$class" }
      .map { $0.hasPrefix("$$") ? String($0.dropFirst()) : $0 } ?? []
  }

  /// Decodes a boolean stored in the object itself.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type.
  public func boolean(forKey key: String) throws(ArchiveError) -> Bool? {
    guard let field = field(key) else { return nil }
    guard let value = archive.list.boolean(at: field) else { throw mismatch("a boolean", key) }
    return value
  }

  /// Decodes an integer stored in the object itself.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type or exceeds 64 bits.
  public func integer(forKey key: String) throws(ArchiveError) -> Int? {
    guard let field = field(key) else { return nil }
    guard let value = archive.list.integer(at: field) else { throw mismatch("an integer", key) }
    return value
  }

  /// Decodes a number stored in the object itself as a `Double`.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type.
  public func double(forKey key: String) throws(ArchiveError) -> Double? {
    guard let field = field(key) else { return nil }
    guard let value = archive.list.double(at: field) else { throw mismatch("a number", key) }
    return value
  }

  /// Decodes bytes stored in the object itself.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type.
  public func bytes(forKey key: String) throws(ArchiveError) -> [UInt8]? {
    guard let field = field(key) else { return nil }
    guard let value = archive.list.data(at: field) else { throw mismatch("data", key) }
    return Array(value)
  }

  /// Decodes a string.
  ///
  /// - Throws: ``ArchiveError`` when the value is of another type.
  public func string(forKey key: String) throws(ArchiveError) -> String? {
    guard let value = try foundationValue(forKey: key) else { return nil }
    guard case .string(let text) = value else { throw mismatch("text", key) }
    try session.count(text)
    return text
  }

  /// Decodes a value of one of Foundation's plain classes, with everything it contains.
  ///
  /// - Throws: ``ArchiveError`` if the object is of any other class.
  public func foundationValue(
    forKey key: String
  ) throws(ArchiveError) -> ArchiveFoundationValue? {
    guard let target = try reference(key), target != 0 else { return nil }
    return try session.foundationValue(target)
  }

  /// Decodes an object, whose own fields may not have been read yet.
  ///
  /// - Throws: ``ArchiveError`` when its class may not be decoded or is not the requested one.
  public func object<Object: ArchiveDecodable>(
    _ type: Object.Type = Object.self, forKey key: String
  ) throws(ArchiveError) -> Object? {
    guard let target = try reference(key), target != 0, !isNull(target) else { return nil }
    return try instance(target, key)
  }

  /// Decodes the objects of an array or set.
  ///
  /// - Throws: ``ArchiveError`` when a member's class may not be decoded or is not the requested one.
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

  /// Whether a reference leads to the string `$null`; XML archives have a separate one for each nil.
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
