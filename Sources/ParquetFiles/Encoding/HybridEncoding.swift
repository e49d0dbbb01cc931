/// Parquet's encoding of small numbers (levels, and places in dictionaries): runs of one number, and groups of eight
/// numbers packed into the bits that they need.
enum HybridEncoding {
  /// The number of bits that hold numbers up to a maximum.
  static func width(ofNumbersUpTo maximum: Int) -> Int {
    Int.bitWidth - maximum.leadingZeroBitCount
  }

  /// Appends numbers to a page.
  ///
  /// - Parameters:
  ///   - numbers: Each must fit the width.
  ///   - width: The number of bits, from 1 to 32.
  static func append<Number: FixedWidthInteger & UnsignedInteger>(
    _ numbers: ArraySlice<Number>, width: Int, to bytes: inout [UInt8]
  ) {
    // Numbers from `start` on are still to be packed.
    var (start, place) = (numbers.startIndex, numbers.startIndex)
    while place < numbers.endIndex {
      let number = numbers[place]
      var end = place + 1
      while end < numbers.endIndex, numbers[end] == number { end += 1 }
      // Groups have eight numbers; only the last of a page may be filled up.
      let missing = (8 - (place - start) % 8) % 8
      if end - place - missing >= 8 {
        pack(numbers[start..<place + missing], width, into: &bytes)
        bytes.append(varint: UInt64(end - place - missing) << 1)
        for byte in 0..<(width + 7) / 8 {
          bytes.append(UInt8(truncatingIfNeeded: UInt32(number) >> UInt32(8 * byte)))
        }
        start = end
      }
      place = end
    }
    pack(numbers[start...], width, into: &bytes)
  }

  /// Appends numbers in groups of eight, the last filled up with zeros.
  private static func pack<Number: FixedWidthInteger & UnsignedInteger>(
    _ numbers: ArraySlice<Number>, _ width: Int, into bytes: inout [UInt8]
  ) {
    guard !numbers.isEmpty else { return }
    let groups = (numbers.count + 7) / 8
    bytes.append(varint: UInt64(groups) << 1 | 1)
    let end = bytes.count + groups * width
    var (bits, count) = (UInt64(0), 0)
    for number in numbers {
      bits |= UInt64(number) << UInt64(count)
      count += width
      while count >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
        count -= 8
      }
    }
    if count > 0 { bytes.append(UInt8(truncatingIfNeeded: bits)) }
    while bytes.count < end { bytes.append(0) }
  }
}
