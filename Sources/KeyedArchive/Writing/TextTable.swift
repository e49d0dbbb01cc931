/// The texts that are one object each in an archive, found by their bytes.
///
/// ASCII is not kept a second time: its bytes lie in the property list already, as they stand in a
/// file. Other texts stand there as UTF-16 and are kept here as they are.
struct TextTable: ~Copyable {
  // Not private, since the compiler cannot do without its metadata where tables go.
  struct Slot: BitwiseCopyable {
    var hash: UInt32
    var count: UInt32
    /// Where the bytes begin in the property list's contents.
    var start: UInt32
    /// The number of the identity; below zero in a free slot.
    var identity: Int32
  }

  private var slots = PlainBuffer<Slot>(minimumCapacity: 256)
  private var used = 0
  private var others: [ExactText: Int] = [:]

  init() {
    slots.append(repeating: Self.free, count: 256)
  }

  private static let free = Slot(hash: 0, count: 0, start: 0, identity: -1)

  /// What is known of a text.
  struct Entry {
    /// Its identity; `nil` when the text is new.
    var identity: Int?
    /// Its hash; `nil` when its bytes could not be looked at.
    fileprivate var hash: UInt32?
  }

  /// Looks a text up.
  ///
  /// - Parameter contents: The contents of the property list that holds the texts.
  func entry(of text: String, in contents: borrowing [UInt8]) -> Entry {
    let found = text.utf8.withContiguousStorageIfAvailable { utf8 in
      let hash = hash(of: utf8)
      let identity = contents.withUnsafeBufferPointer { find(utf8, hash, $0) }
      return Entry(identity: identity < 0 ? nil : identity, hash: hash)
    }
    if let found, found.identity != nil || others.isEmpty { return found }
    return Entry(identity: others[ExactText(text: text)], hash: found?.hash)
  }

  @inline(__always)
  private func find(
    _ utf8: UnsafeBufferPointer<UInt8>, _ hash: UInt32, _ contents: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let mask = slots.count &- 1
    var index = Int(hash) & mask
    while true {
      let slot = slots[index]
      if slot.identity < 0 { return -1 }
      let start = Int(slot.start)
      if slot.hash == hash, Int(slot.count) == utf8.count,
        Self.isEqual(
          utf8, UnsafeBufferPointer(rebasing: contents[start..<start &+ utf8.count]))
      {
        return Int(slot.identity)
      }
      index = (index &+ 1) & mask
    }
  }

  /// Notes the identity of a new text.
  ///
  /// - Parameters:
  ///   - entry: What was known of it.
  ///   - start: Where its bytes begin in the property list's contents; `nil` when they do not stand
  ///     there as ASCII.
  mutating func insert(_ text: String, _ entry: Entry, identity: Int, start: Int?) {
    guard let start = start.flatMap({ UInt32(exactly: $0) }), let hash = entry.hash,
      let count = UInt32(exactly: text.utf8.count), let number = Int32(exactly: identity)
    else {
      others[ExactText(text: text)] = identity
      return
    }
    if used * 2 >= slots.count { grow() }
    place(Slot(hash: hash, count: count, start: start, identity: number))
    used += 1
  }

  private mutating func place(_ slot: Slot) {
    let mask = slots.count - 1
    var index = Int(slot.hash) & mask
    while slots[index].identity >= 0 { index = (index + 1) & mask }
    slots[index] = slot
  }

  private mutating func grow() {
    var old = PlainBuffer<Slot>(minimumCapacity: slots.count * 4)
    old.append(repeating: Self.free, count: slots.count * 4)
    swap(&old, &slots)
    for index in 0..<old.count where old[index].identity >= 0 { place(old[index]) }
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

  /// The last bytes, up to seven, in one number.
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
