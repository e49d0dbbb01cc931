/// The strings that are one object each in an archive, looked up by their bytes.
///
/// ASCII strings are not stored a second time: their bytes are already in the property list, in file format. Other
/// strings are stored there as UTF-16, and kept here as they are.
struct SharedTexts: ~Copyable {
  // Not private, because the compiler needs its metadata where tables are destroyed.
  struct Text: BitwiseCopyable {
    var count: UInt32
    /// The offset of the bytes in the property list's contents.
    var start: UInt32
    /// The number of the identity.
    var identity: Int32
  }

  private var texts = ProbingTable(slots: 256, filler: Text(count: 0, start: 0, identity: -1))
  private var others: [ExactBytes: Int] = [:]

  /// The result of looking up a string.
  struct Entry {
    /// Its identity; `nil` when the string is new.
    var identity: Int?
    /// Its hash; `nil` when its bytes were not accessible.
    fileprivate var hash: UInt32?
  }

  /// Looks up a string.
  ///
  /// - Parameter contents: The contents of the property list that contains the strings.
  func entry(of text: String, in contents: borrowing [UInt8]) -> Entry {
    let found = text.utf8.withContiguousStorageIfAvailable { utf8 in
      let hash = hash(of: utf8)
      let text = contents.withUnsafeBufferPointer { contents in
        texts.first(of: hash) { text in
          let start = Int(text.start)
          return Int(text.count) == utf8.count
            && Self.isEqual(
              utf8, UnsafeBufferPointer(rebasing: contents[start..<start &+ utf8.count]))
        }
      }
      return Entry(identity: text.map { Int($0.identity) }, hash: hash)
    }
    if let found, found.identity != nil || others.isEmpty { return found }
    return Entry(identity: others[ExactBytes(text: text)], hash: found?.hash)
  }

  /// Records the identity of a new string.
  ///
  /// - Parameters:
  ///   - entry: The result of looking it up.
  ///   - start: The offset of its bytes in the property list's contents; `nil` when they are not stored there as ASCII.
  mutating func insert(_ text: String, _ entry: Entry, identity: Int, start: Int?) {
    guard let start = start.flatMap({ UInt32(exactly: $0) }), let hash = entry.hash,
      let count = UInt32(exactly: text.utf8.count), let number = Int32(exactly: identity)
    else {
      others[ExactBytes(text: text)] = identity
      return
    }
    texts.insert(Text(count: count, start: start, identity: number), hash: hash)
  }

  // MARK: Bytes

  @inline(__always)
  private static func isEqual(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
    var at = 0
    while at &+ 8 <= left.count {
      if word(left, at) != word(right, at) { return false }
      at &+= 8
    }
    return tail(left, at) == tail(right, at)
  }

  @inline(__always)
  private func hash(of utf8: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let bytes = UnsafeRawBufferPointer(utf8)
    var hash = HashSeed.value ^ UInt64(truncatingIfNeeded: bytes.count)
    var at = 0
    while at &+ 8 <= bytes.count {
      hash = Self.mixed(hash ^ Self.word(bytes, at))
      at &+= 8
    }
    hash = Self.mixed(hash ^ Self.tail(bytes, at))
    return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
  }

  @inline(__always)
  private static func mixed(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
  }

  /// The last bytes, up to seven, as one number.
  @inline(__always)
  private static func tail(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
    var at = start
    var value: UInt64 = 0
    if at &+ 4 <= bytes.count {
      value = UInt64(bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      at &+= 4
    }
    if at &+ 2 <= bytes.count {
      value =
        value << 16 | UInt64(bytes.loadUnaligned(fromByteOffset: at, as: UInt16.self))
      at &+= 2
    }
    return at < bytes.count ? value << 8 | UInt64(bytes[at]) : value
  }
}

/// A string compared as Foundation does, unit by unit; Swift considers `é` as one scalar and as two to be equal.
struct ExactBytes: Hashable {
  var text: String

  static func == (left: ExactBytes, right: ExactBytes) -> Bool {
    var (left, right) = (left.text, right.text)
    return left.withUTF8 { left in
      right.withUTF8 { left.count == $0.count && left.elementsEqual($0) }
    }
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
