extension ArchiveAssembler {
  /// Adds a value under a key; strings and numbers become leaves, as Core Foundation writes them.
  mutating func put(_ value: ArchiveFoundationValue, forKey key: Int) {
    switch value {
    case .string(let text): put(key, leaf: self.text(text))
    case .boolean(let value): put(key, leaf: boxed(boolean: value))
    case .integer(let value): put(key, leaf: boxed(integer: value))
    case .unsigned(let value): put(key, leaf: boxed(unsigned: value))
    case .double(let value): put(key, leaf: boxed(double: value))
    default: put(key, object: .foundation(value))
    }
  }

  /// Adds the fields of a value that is an object of its own, and returns its class's number.
  package mutating func putFields(of value: ArchiveFoundationValue) -> Int {
    switch value {
    case .array(let members), .set(let members):
      putList("NS.objects", members)
    case .orderedSet(let members):
      for (index, member) in members.enumerated() { put(member, forKey: key("NS.object.\(index)")) }
    case .dictionary(let pairs):
      putList("NS.keys", pairs.map { .string($0.key) })
      putList("NS.objects", pairs.map(\.value))
    case .table(let rows):
      putList("NS.keys", rows.map(\.key))
      putList("NS.objects", rows.map(\.value))
    case .data(let bytes):
      put(key("NS.data"), data: bytes)
    case .date(let seconds):
      put(key("NS.time"), double: seconds)
    case .uuid(let bytes):
      put(key("NS.uuidbytes"), data: bytes)
    case .url(let relative, let base):
      if let base {
        put(key("NS.base"), object: .foundation(.url(base, base: nil)))
      } else {
        putNil(key("NS.base"))
      }
      put(key("NS.relative"), leaf: self.text(relative))
    case .decimal(let decimal):
      decimal.put { name, field in
        switch field {
        case .boolean(let value): put(key(name), boolean: value)
        case .integer(let value): put(key(name), int32: value)
        case .bytes(let bytes): put(key(name), data: bytes)
        }
      }
    case .mutable(.string(let text)):
      put(key("NS.string"), node: addNode(.string(text)))
    case .mutable(let value):
      _ = putFields(of: value)
    case .null, .string, .boolean, .integer, .unsigned, .double:
      break
    }
    return classIndex(value.archiveClass)
  }

  /// An integer over the largest signed one, which property lists hold in 16 bytes.
  package mutating func boxed(unsigned value: UInt64) -> Identity {
    boxed(node: addNode(integer: Int128(value), width: 16))
  }

  private mutating func putList(_ name: String, _ members: [ArchiveFoundationValue]) {
    put(key(name), listOf: members.count)
    for member in members { put(member, forKey: 0) }
  }
}
