import BinaryPlist

/// What lasts while one archive is written: which object has which identity, the keys and classes.
final class ArchiveEncodingSession {
  /// Answers the assembler's questions for fields.
  struct Source: ArchiveSource {
    enum Item {
      case object(any ArchiveEncodable)
      case objects([any ArchiveEncodable])
      case foundation(ArchiveFoundationValue)
    }

    unowned let session: ArchiveEncodingSession?

    mutating func encode(
      _ item: Item, into assembler: ArchiveAssembler<Source>
    ) throws(ArchiveError) -> Int {
      guard let session else {
        throw ArchiveError(.invalidContent, "the archive's encoder is gone")
      }
      return try session.fields(of: item)
    }
  }

  private(set) var assembler: ArchiveAssembler<Source>
  private var keys: [String: Int] = [:]
  private var classes: [ArchiveClass: Int] = [:]
  private var identities: [ObjectIdentifier: ArchiveAssembler<Source>.Identity] = [:]
  /// Keeps what was given an identity alive, so that no other object comes to its address.
  private var kept: [any ArchiveEncodable] = []
  private var failure: (any Error)?

  init(style: ArchiveStyle) {
    assembler = ArchiveAssembler(source: Source(session: nil), keys: [], style: style)
    assembler = ArchiveAssembler(source: Source(session: self), keys: [], style: style)
  }

  func key(_ key: String) -> Int {
    if let known = keys[key] { return known }
    let added = assembler.addKey(key)
    keys[key] = added
    return added
  }

  private func index(of type: ArchiveClass) -> Int {
    if let known = classes[type] { return known }
    let added = assembler.addClass(type)
    classes[type] = added
    return added
  }

  func identity(of object: any ArchiveEncodable) -> ArchiveAssembler<Source>.Identity {
    let id = ObjectIdentifier(object)
    if let known = identities[id] { return known }
    let identity = assembler.newIdentity()
    identities[id] = identity
    kept.append(object)
    return identity
  }

  func encode(_ object: any ArchiveEncodable) throws -> Int {
    do {
      return try assembler.encode(.object(object), identity(of: object))
    } catch {
      throw failure ?? error
    }
  }

  fileprivate func fields(of item: Source.Item) throws(ArchiveError) -> Int {
    switch item {
    case .object(let object):
      do {
        try object.encode(into: ArchiveObjectEncoder(session: self))
      } catch {
        failure = error
        throw ArchiveError(.invalidContent, "an object could not be encoded: \(error)")
      }
      return index(of: type(of: object).archiveClass)
    case .objects(let objects):
      assembler.put(key("NS.objects"), listOf: objects.count)
      for object in objects { assembler.put(0, object: .object(object), identity(of: object)) }
      return index(of: ArchiveFoundationValue.arrayClass)
    case .foundation(let value):
      return index(of: putFields(of: value))
    }
  }

  /// Puts a value under a key: what Core Foundation writes as text or number stands for itself.
  func put(_ value: ArchiveFoundationValue, forKey key: Int) {
    switch value {
    case .string(let text): assembler.put(key, leaf: assembler.text(text))
    case .boolean(let value): assembler.put(key, leaf: assembler.boxed(boolean: value))
    case .integer(let value): assembler.put(key, leaf: assembler.boxed(integer: value))
    case .double(let value): assembler.put(key, leaf: assembler.boxed(double: value))
    default: assembler.put(key, object: .foundation(value))
    }
  }

  private func putFields(of value: ArchiveFoundationValue) -> ArchiveClass {
    switch value {
    case .array(let members), .set(let members):
      putList("NS.objects", members)
    case .dictionary(let pairs):
      putList("NS.keys", pairs.map { .string($0.key) })
      putList("NS.objects", pairs.map(\.value))
    case .data(let bytes):
      assembler.put(key("NS.data"), data: bytes)
    case .date(let seconds):
      assembler.put(key("NS.time"), double: seconds)
    case .uuid(let bytes):
      assembler.put(key("NS.uuidbytes"), data: bytes)
    case .url(let relative, let base):
      if let base {
        assembler.put(key("NS.base"), object: .foundation(.url(base, base: nil)))
      } else {
        assembler.putNil(key("NS.base"))
      }
      assembler.put(key("NS.relative"), leaf: assembler.text(relative))
    case .decimal(let decimal):
      decimal.put { name, field in
        switch field {
        case .boolean(let value): assembler.put(key(name), boolean: value)
        case .integer(let value): assembler.put(key(name), int32: value)
        case .bytes(let bytes): assembler.put(key(name), data: bytes)
        }
      }
    case .null, .string, .boolean, .integer, .double:
      break
    }
    return value.archiveClass
  }

  private func putList(_ name: String, _ members: [ArchiveFoundationValue]) {
    assembler.put(key(name), listOf: members.count)
    for member in members { put(member, forKey: 0) }
  }
}
