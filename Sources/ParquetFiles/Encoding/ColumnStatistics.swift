/// The smallest and largest value of a column in a row group, by which readers pass over row groups.
struct ColumnStatistics {
  /// The values in their plain form, without length; nil where there are none, or none that would help.
  private(set) var minimum: [UInt8]?
  private(set) var maximum: [UInt8]?
  let nullCount: Int

  /// Longer values aren't repeated in the file's footer, which readers hold in memory.
  private static let longestValue = 64

  init(_ values: ColumnValues, of type: ParquetType) {
    nullCount = values.definitionLevels.count { $0 == 0 }
    switch type.physical {
    case .boolean, .int32, .int64: setIntegers(values.integers, type)
    case .float, .double: setReals(values.reals, type)
    case .byteArray: setTexts(values)
    case .fixedLengthByteArray: setFixed(values.bytes, isSigned: type != .uuid)
    }
  }

  var thrift: (inout ThriftWriter) -> Void {
    { writer in
      writer.field(3, Int64(nullCount))
      if let maximum { writer.field(5, maximum) }
      if let minimum { writer.field(6, minimum) }
    }
  }

  private mutating func setIntegers(_ values: [Int64], _ type: ParquetType) {
    guard var low = values.first else { return }
    var high = low
    for value in values {
      low = min(low, value)
      high = max(high, value)
    }
    let width = max(1, type.width ?? 8)
    minimum = Array(PlainEncoding.bytes(of: low).prefix(width))
    maximum = Array(PlainEncoding.bytes(of: high).prefix(width))
  }

  /// Numbers that are no numbers have no place in an order. Zero has two, and counts as both.
  private mutating func setReals(_ values: [Double], _ type: ParquetType) {
    var (low, high) = (Double.infinity, -Double.infinity)
    var isAny = false
    for value in values where !value.isNaN {
      low = min(low, value)
      high = max(high, value)
      isAny = true
    }
    guard isAny else { return }
    if low == 0 { low = -0.0 }
    if high == 0 { high = 0.0 }
    minimum = PlainEncoding.bytes(of: low, isSingle: type == .float)
    maximum = PlainEncoding.bytes(of: high, isSingle: type == .float)
  }

  private mutating func setTexts(_ values: ColumnValues) {
    guard !values.ends.isEmpty else { return }
    func text(_ value: Int) -> ArraySlice<UInt8> {
      values.bytes[values.byteRange(of: value)].dropFirst(4)
    }
    var (low, high) = (text(0), text(0))
    for value in values.ends.indices.dropFirst() {
      let text = text(value)
      if text.lexicographicallyPrecedes(low) { low = text }
      if high.lexicographicallyPrecedes(text) { high = text }
    }
    if low.count <= Self.longestValue { minimum = Array(low) }
    if high.count <= Self.longestValue { maximum = Array(high) }
  }

  /// Values of 16 bytes, the highest first.
  private mutating func setFixed(_ bytes: [UInt8], isSigned: Bool) {
    // With the sign's bit turned over, signed numbers are in the order of their bytes.
    let flip: UInt8 = isSigned ? 0x80 : 0
    func precedes(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
      guard let first = left.first, let second = right.first, first != second else {
        return left.lexicographicallyPrecedes(right)
      }
      return first ^ flip < second ^ flip
    }
    guard bytes.count >= 16 else { return }
    var (low, high) = (bytes[..<16], bytes[..<16])
    for start in stride(from: 16, to: bytes.count, by: 16) {
      let value = bytes[start..<start + 16]
      if precedes(value, low) { low = value }
      if precedes(high, value) { high = value }
    }
    (minimum, maximum) = (Array(low), Array(high))
  }
}
