/// Values one after another, the lowest byte of a number first: how pages without a dictionary hold them.
enum PlainEncoding {
  /// Appends some of a column's values to a page.
  static func append(
    _ range: Range<Int>, of values: ColumnValues, _ type: ParquetType, to page: inout [UInt8]
  ) {
    guard !range.isEmpty else { return }
    switch type.physical {
    case .boolean: append(bits: values.integers[range], to: &page)
    case .int32:
      append(values.integers[range].map { Int32(truncatingIfNeeded: $0) }[...], to: &page)
    case .int64: append(values.integers[range], to: &page)
    case .float: append(values.reals[range].map { Float($0) }[...], to: &page)
    case .double: append(values.reals[range], to: &page)
    case .byteArray:
      let start = values.byteRange(of: range.lowerBound).lowerBound
      page.append(contentsOf: values.bytes[start..<values.ends[range.upperBound - 1]])
    case .fixedLengthByteArray:
      page.append(contentsOf: values.bytes[16 * range.lowerBound..<16 * range.upperBound])
    }
  }

  static func bytes(of number: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    append([number][...], to: &bytes)
    return bytes
  }

  static func bytes(of number: Double, isSingle: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    if isSingle {
      append([Float(number)][...], to: &bytes)
    } else {
      append([number][...], to: &bytes)
    }
    return bytes
  }

  private static func append(bits flags: ArraySlice<Int64>, to page: inout [UInt8]) {
    var (byte, count) = (UInt8(0), UInt8(0))
    for flag in flags {
      if flag != 0 { byte |= 1 << count }
      count += 1
      if count == 8 {
        page.append(byte)
        (byte, count) = (0, 0)
      }
    }
    if count > 0 { page.append(byte) }
  }

  /// Appends numbers as they are in memory: every system that this runs on has the lowest byte first.
  private static func append<Number: BitwiseCopyable>(
    _ numbers: ArraySlice<Number>, to page: inout [UInt8]
  ) {
    numbers.withUnsafeBytes { page.append(contentsOf: $0) }
  }
}
