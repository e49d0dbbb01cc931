#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a validated binary property list in place, without reference counting or bounds checks.
///
/// Opening a ``BinaryPropertyList`` checks every offset, count and reference. From then on the numbers in the file can
/// be trusted, and decoders that visit every object of a large file read them through raw pointers. A scanner must not
/// escape the closure it is passed to.
///
/// - Precondition: For all methods, object numbers are those of the list.
public struct BinaryScanner {
  @usableFromInline let bytes: UnsafePointer<UInt8>
  @usableFromInline let offsets: UnsafePointer<UInt32>
  @usableFromInline let width: Int

  /// A run of references: those of an array, or of a dictionary's keys or values.
  public struct References: Equatable {
    @usableFromInline let start: UnsafePointer<UInt8>
    @usableFromInline let width: Int
    /// The number of references.
    public let count: Int

    @inlinable @inline(__always)
    init(start: UnsafePointer<UInt8>, width: Int, count: Int) {
      self.start = start
      self.width = width
      self.count = count
    }

    /// The number of the object at a position.
    @inlinable @inline(__always)
    public subscript(position: Int) -> Int {
      BinaryScanner.unsigned(start + position * width, width)
    }

    /// Whether both contain the same references in the same order.
    public static func == (left: References, right: References) -> Bool {
      left.count == right.count && left.width == right.width
        && memcmp(left.start, right.start, left.count * left.width) == 0
    }
  }

  /// The first byte of an object.
  @inlinable @inline(__always)
  public func first(of object: Int) -> UInt8 { bytes[Int(offsets[object])] }

  /// The number of a UID; −1 for any other object.
  @inlinable @inline(__always)
  public func uid(_ object: Int) -> Int {
    let start = bytes + Int(offsets[object])
    guard start[0] >> 4 == 0x8 else { return -1 }
    return Self.unsigned(start + 1, Int(start[0] & 15) + 1)
  }

  /// Whether an object is a UID.
  @inlinable @inline(__always)
  public func isUID(_ object: Int) -> Bool { first(of: object) >> 4 == 0x8 }

  /// Whether an object is a UID whose number does not fit an `Int`.
  @inlinable @inline(__always)
  public func isWideUID(_ object: Int) -> Bool {
    let start = bytes + Int(offsets[object])
    return start[0] == 0x87 && start[1] >= 0x80
  }

  /// The value of an integer of up to 8 bytes; `nil` for any other object.
  @inlinable @inline(__always)
  public func integer(_ object: Int) -> Int? {
    let start = bytes + Int(offsets[object])
    guard start[0] & 0xF0 == 0x10, start[0] & 15 <= 3 else { return nil }
    return Self.unsigned(start + 1, 1 << Int(start[0] & 15))
  }

  /// The value of a boolean; `nil` for any other object.
  @inlinable @inline(__always)
  public func boolean(_ object: Int) -> Bool? {
    switch first(of: object) {
    case 0x08: false
    case 0x09: true
    default: nil
    }
  }

  /// Whether an object is a string.
  @inlinable @inline(__always)
  public func isString(_ object: Int) -> Bool {
    let kind = first(of: object) >> 4
    return kind == 0x5 || kind == 0x6
  }

  /// The keys and values of a dictionary; `nil` for any other object.
  @inlinable @inline(__always)
  public func dictionary(_ object: Int) -> (keys: References, values: References)? {
    let start = bytes + Int(offsets[object])
    guard start[0] >> 4 == 0xD else { return nil }
    let (count, contents) = Self.header(start)
    return (
      References(start: contents, width: width, count: count),
      References(start: contents + count * width, width: width, count: count)
    )
  }

  /// The members of an array or set; `nil` for any other object.
  @inlinable @inline(__always)
  public func elements(_ object: Int) -> References? {
    let start = bytes + Int(offsets[object])
    guard start[0] >> 4 == 0xA || start[0] >> 4 == 0xC else { return nil }
    let (count, contents) = Self.header(start)
    return References(start: contents, width: width, count: count)
  }

  /// The value of an ASCII string; `nil` for any other object.
  @inlinable @inline(__always)
  public func ascii(_ object: Int) -> String? {
    let start = bytes + Int(offsets[object])
    guard start[0] >> 4 == 0x5 else { return nil }
    let (count, contents) = Self.header(start)
    return String(decoding: UnsafeBufferPointer(start: contents, count: count), as: UTF8.self)
  }

  @inlinable @inline(__always)
  static func header(
    _ start: UnsafePointer<UInt8>
  ) -> (count: Int, contents: UnsafePointer<UInt8>) {
    let low = Int(start[0] & 15)
    guard low == 15 else { return (low, start + 1) }
    let width = 1 << Int(start[1] & 15)
    return (unsigned(start + 2, width), start + 2 + width)
  }

  @inlinable @inline(__always)
  static func unsigned(_ start: UnsafePointer<UInt8>, _ width: Int) -> Int {
    switch width {
    case 1: return Int(start[0])
    case 2: return Int(start[0]) << 8 | Int(start[1])
    case 4:
      let number = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
      return Int(UInt32(bigEndian: number))
    default:
      var value = 0
      for index in 0..<width { value = value << 8 | Int(start[index]) }
      return value
    }
  }
}

extension BinaryPropertyList {
  /// Calls a closure with a scanner of the list.
  public func withScanner<Result, Failure: Error>(
    _ body: (BinaryScanner) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) -> Result in
      try offsets.withUnsafeBufferPointer { (offsets) throws(Failure) -> Result in
        guard let bytes = bytes.baseAddress, let offsets = offsets.baseAddress else {
          preconditionFailure("a property list has at least one object")
        }
        return try body(BinaryScanner(bytes: bytes, offsets: offsets, width: referenceWidth))
      }
    }
  }
}

/// A run of object numbers in a binary property list, read in place.
public struct BinaryReferences: RandomAccessCollection, Sendable {
  let bytes: [UInt8]
  let start: Int
  let width: Int
  /// The number of references.
  public let count: Int

  /// The position of the first reference.
  public var startIndex: Int { 0 }
  /// The position after the last reference.
  public var endIndex: Int { count }

  /// The number of the object referred to.
  public subscript(position: Int) -> Int {
    precondition(position >= 0 && position < count, "no reference at \(position)")
    let at = start + position * width
    switch width {
    case 1: return Int(bytes[at])
    case 2: return Int(bytes[at]) << 8 | Int(bytes[at + 1])
    default:
      var value = 0
      for byte in bytes[at..<at + width] { value = value << 8 | Int(byte) }
      return value
    }
  }
}
