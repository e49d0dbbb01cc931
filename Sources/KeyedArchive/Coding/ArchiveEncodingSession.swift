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

    static func item(for value: ArchiveFoundationValue) -> Item { .foundation(value) }

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
  private var identities: [ObjectIdentifier: ArchiveAssembler<Source>.Identity] = [:]
  /// Keeps what was given an identity alive, so that no other object comes to its address.
  private var kept: [any ArchiveEncodable] = []
  private var failure: (any Error)?

  init(style: ArchiveStyle) {
    assembler = ArchiveAssembler(source: Source(session: nil), keys: [], style: style)
    assembler = ArchiveAssembler(source: Source(session: self), keys: [], style: style)
  }

  func key(_ key: String) -> Int { assembler.key(key) }

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
      return assembler.classIndex(type(of: object).archiveClass)
    case .objects(let objects):
      assembler.put(key("NS.objects"), listOf: objects.count)
      for object in objects { assembler.put(0, object: .object(object), identity(of: object)) }
      return assembler.classIndex(ArchiveFoundationValue.arrayClass)
    case .foundation(let value):
      return assembler.putFields(of: value)
    }
  }
}
