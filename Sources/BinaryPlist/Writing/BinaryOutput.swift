/// Writes into memory of a size counted before.
struct BinaryOutput {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  /// How many bytes were written.
  private(set) var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    self.buffer = buffer
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    precondition(count < buffer.count, "a property list is longer than was counted")
    buffer[count] = byte
    count += 1
  }

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

  /// Puts a number's last bytes, the highest first.
  @inline(__always)
  mutating func put(_ value: UInt64, width: Int) {
    precondition(width <= buffer.count - count, "a property list is longer than was counted")
    switch width {
    case 1: buffer[count] = UInt8(truncatingIfNeeded: value)
    case 2:
      UnsafeMutableRawBufferPointer(buffer).storeBytes(
        of: UInt16(truncatingIfNeeded: value).bigEndian, toByteOffset: count, as: UInt16.self)
    case 4:
      UnsafeMutableRawBufferPointer(buffer).storeBytes(
        of: UInt32(truncatingIfNeeded: value).bigEndian, toByteOffset: count, as: UInt32.self)
    default:
      for index in 0..<width {
        buffer[count + index] = UInt8(truncatingIfNeeded: value >> UInt64((width - 1 - index) * 8))
      }
    }
    count += width
  }

  /// Puts a number for each member of a container, the highest byte first.
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

  /// Puts a reference of a keyed archive.
  @inline(__always)
  mutating func put(uid number: UInt64) {
    let width = PropertyListGraph.width(of: Int(truncatingIfNeeded: number))
    put(0x80 | UInt8(truncatingIfNeeded: width &- 1))
    put(number, width: width)
  }

  /// Puts a marker with its count, in an integer of its own from 15 on.
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
