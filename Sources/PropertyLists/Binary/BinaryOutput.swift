/// Writes into memory of a precomputed size.
struct BinaryOutput {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  /// The number of bytes written.
  private(set) var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    self.buffer = buffer
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) { put(number: byte) }

  mutating func put(_ bytes: some Collection<UInt8>) {
    for byte in bytes { put(byte) }
  }

  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    precondition(
      bytes.count <= buffer.count - count, "a property list is longer than was counted")
    guard let source = bytes.baseAddress, let target = buffer.baseAddress else { return }
    (target + count).update(from: source, count: bytes.count)
    count += bytes.count
  }

  /// Writes a number, big-endian.
  @inline(__always)
  mutating func put<Number: FixedWidthInteger>(number value: Number) {
    let width = Number.bitWidth / 8
    precondition(width <= buffer.count &- count, "a property list is longer than was counted")
    UnsafeMutableRawBufferPointer(buffer)
      .storeBytes(of: value.bigEndian, toByteOffset: count, as: Number.self)
    count &+= width
  }

  /// Writes the low 1, 2, 4 or 8 bytes of a number, big-endian.
  @inline(__always)
  mutating func put(_ value: UInt64, width: Int) {
    switch width {
    case 1: put(number: UInt8(truncatingIfNeeded: value))
    case 2: put(number: UInt16(truncatingIfNeeded: value))
    case 4: put(number: UInt32(truncatingIfNeeded: value))
    default: put(number: value)
    }
  }

  /// Writes a big-endian number for each member of a container.
  @inline(__always)
  mutating func put<Number: FixedWidthInteger>(
    _ members: UnsafeBufferPointer<UInt32>, number: (UInt32) -> Number
  ) {
    let width = Number.bitWidth / 8
    precondition(
      members.count * width <= buffer.count - count, "a property list is longer than was counted")
    let target = UnsafeMutableRawBufferPointer(buffer)
    for member in members {
      target.storeBytes(of: number(member).bigEndian, toByteOffset: count, as: Number.self)
      count &+= width
    }
  }

  /// Writes a reference of a keyed archive.
  @inline(__always)
  mutating func put(uid number: UInt64) {
    switch number {
    case 0...0xFF:
      put(number: 0x8000 | UInt16(truncatingIfNeeded: number))
    case 0...0xFFFF:
      put(0x81)
      put(number: UInt16(truncatingIfNeeded: number))
    default:
      let width = PropertyListGraph.width(of: Int(truncatingIfNeeded: number))
      put(0x80 | UInt8(truncatingIfNeeded: width &- 1))
      put(number, width: width)
    }
  }

  /// Writes a marker with its count, which is a separate integer from 15 upwards.
  mutating func putHeader(_ marker: UInt8, count: Int) {
    if count < 15 {
      put(marker | UInt8(count))
    } else {
      put(marker | 15)
      let width = PropertyListGraph.width(of: count)
      put(0x10 | UInt8(width.trailingZeroBitCount))
      put(UInt64(count), width: width)
    }
  }
}
