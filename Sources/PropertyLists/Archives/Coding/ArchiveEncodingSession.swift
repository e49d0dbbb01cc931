/// The state of encoding one archive, including the identity assigned to each object.
final class ArchiveEncodingSession: ArchiveSource {
  private enum Item {
    case object(any ArchiveEncodable)
    case objects([any ArchiveEncodable])
  }

  private var items: [Item] = []
  private var identities: [ObjectIdentifier: ArchiveIdentity] = [:]
  /// Retains every object that has an identity, so that its address is not reused by another object.
  private var kept: [any ArchiveEncodable] = []
  private var failure: (any Error)?

  /// Lays out an object and everything it refers to, and returns its number.
  func encode(
    _ object: any ArchiveEncodable, into assembler: inout ArchiveAssembler
  ) throws -> Int {
    let identity = identity(of: object, into: &assembler)
    do {
      return try assembler.encode(register(.object(object)), identity, asking: self)
    } catch {
      throw failure ?? error
    }
  }

  func encode(
    _ item: ArchiveItem, into assembler: inout ArchiveAssembler
  ) throws(ArchiveError) -> Int {
    guard case .number(let number) = item else { return 0 }
    switch items[number] {
    case .object(let object):
      var fields = ArchiveObjectEncoder()
      do {
        try object.encode(into: &fields)
      } catch {
        failure = error
        throw ArchiveError(.invalidContent, "an object could not be encoded: \(error)")
      }
      for field in fields.fields {
        put(field.value, forKey: assembler.key(field.key), into: &assembler)
      }
      return assembler.classIndex(type(of: object).archiveClass)
    case .objects(let objects):
      assembler.put(assembler.key("NS.objects"), listOf: objects.count)
      for object in objects { put(.object(object), forKey: 0, into: &assembler) }
      return assembler.classIndex(ArchiveFoundationValue.arrayClass)
    }
  }

  private func put(
    _ value: ArchiveObjectEncoder.Value, forKey key: Int, into assembler: inout ArchiveAssembler
  ) {
    switch value {
    case .boolean(let value): assembler.put(key, boolean: value)
    case .integer(let value): assembler.put(key, int64: value)
    case .double(let value): assembler.put(key, double: value)
    case .bytes(let bytes): assembler.put(key, data: bytes)
    case .text(let text): assembler.put(key, leaf: text.map { assembler.text($0) })
    case .foundation(let value): assembler.put(value, forKey: key)
    case .object(nil): assembler.putNil(key)
    case .object(let object?):
      let identity = identity(of: object, into: &assembler)
      assembler.put(key, object: register(.object(object)), identity)
    case .conditional(let object):
      assembler.put(key, conditional: object.map { identity(of: $0, into: &assembler) })
    case .objects(let objects): assembler.put(key, object: register(.objects(objects)))
    }
  }

  private func register(_ item: Item) -> ArchiveItem {
    items.append(item)
    return .number(items.count - 1)
  }

  private func identity(
    of object: any ArchiveEncodable, into assembler: inout ArchiveAssembler
  ) -> ArchiveIdentity {
    let id = ObjectIdentifier(object)
    if let known = identities[id] { return known }
    let identity = assembler.newIdentity()
    identities[id] = identity
    kept.append(object)
    return identity
  }
}
