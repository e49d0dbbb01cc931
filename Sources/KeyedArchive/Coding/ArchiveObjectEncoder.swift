import BinaryPlist

/// Takes the fields of one object; see ``ArchiveEncodable/encode(into:)``.
public struct ArchiveObjectEncoder {
  let session: ArchiveEncodingSession

  /// Puts a boolean into the object itself.
  public func encode(_ value: Bool, forKey key: String) {
    session.assembler.put(session.key(key), boolean: value)
  }

  /// Puts an integer into the object itself.
  public func encode(_ value: Int, forKey key: String) {
    session.assembler.put(session.key(key), int64: value)
  }

  /// Puts a floating-point number into the object itself.
  public func encode(_ value: Double, forKey key: String) {
    session.assembler.put(session.key(key), double: value)
  }

  /// Puts bytes into the object itself.
  public func encodeBytes(_ value: some Collection<UInt8>, forKey key: String) {
    session.assembler.put(session.key(key), data: value)
  }

  /// Puts text, which stands among the objects; `nil` is nil.
  public func encode(_ value: String?, forKey key: String) {
    session.assembler.put(session.key(key), leaf: value.map(session.assembler.text))
  }

  /// Puts an object, which is encoded unless it was before; `nil` is nil.
  public func encode(_ object: (any ArchiveEncodable)?, forKey key: String) {
    guard let object else { return session.assembler.putNil(session.key(key)) }
    session.assembler.put(session.key(key), object: .object(object), session.identity(of: object))
  }

  /// Puts an object only if something else encodes it; otherwise the field will be nil.
  public func encodeConditional(_ object: (any ArchiveEncodable)?, forKey key: String) {
    session.assembler.put(
      session.key(key), conditional: object.map { session.identity(of: $0) })
  }

  /// Puts a value of one of Foundation's plain classes: an array, dictionary, date and the like.
  public func encode(_ value: ArchiveFoundationValue, forKey key: String) {
    session.assembler.put(value, forKey: session.key(key))
  }

  /// Puts an array of objects, as an `NSArray`.
  public func encode(_ objects: [any ArchiveEncodable], forKey key: String) {
    session.assembler.put(session.key(key), object: .objects(objects))
  }
}
