/// Takes the values of a column, a row at a time: each row one call, or for a list a call for each member, or
/// ``appendEmptyList()``.
///
/// Which of the functions is called must fit the column's type.
package final class ParquetColumnWriter {
  package let column: ParquetColumn
  var values = ColumnValues()
  private let definitionLevel: UInt8

  init(_ column: ParquetColumn) {
    self.column = column
    definitionLevel = column.definitionLevel
  }

  package func appendNull() {
    assert(column.count == .oneOrNone)
    values.definitionLevels.append(0)
  }

  package func append(_ flag: Bool) { append(Int64(flag ? 1 : 0)) }

  /// Appends an integer, a timestamp in the column's unit, or a decimal's digits as an integer.
  package func append(_ integer: Int64) {
    assert([.boolean, .int32, .int64].contains(column.type.physical))
    defineValue()
    values.integers.append(integer)
  }

  package func append(_ real: Double) {
    assert([.float, .double].contains(column.type.physical))
    defineValue()
    values.reals.append(real)
  }

  /// Appends the digits of a decimal of more than 18 digits.
  package func append(digits: Int128) {
    assert(column.type.physical == .fixedLengthByteArray)
    defineValue()
    for byte in 0..<16 {
      values.bytes.append(UInt8(truncatingIfNeeded: digits >> Int128(8 * (15 - byte))))
    }
  }

  /// Appends the 16 bytes of a UUID, or text, JSON or bytes. Text must be valid UTF-8.
  ///
  /// - Throws: ``ParquetError/tooLarge(column:)``.
  package func append(_ bytes: some Collection<UInt8>) throws(ParquetError) {
    defineValue()
    if column.type.physical == .byteArray {
      guard bytes.count <= Self.largestValue else { throw .tooLarge(column: column.name) }
      let count = UInt32(bytes.count)
      for byte in 0..<4 {
        values.bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(8 * byte)))
      }
      values.bytes.append(contentsOf: bytes)
      values.ends.append(values.bytes.count)
    } else {
      assert(bytes.count == 16)
      values.bytes.append(contentsOf: bytes)
    }
  }

  /// The largest value in bytes: a page with its levels, compressed or not, must be smaller than 2 GiB.
  private static let largestValue = Int(Int32.max) - 1 << 22

  // MARK: Lists

  package func appendEmptyList() {
    values.definitionLevels.append(0)
    values.repetitionLevels.append(0)
    isInList = false
  }

  /// Starts a list that has members, which are appended next.
  package func startList() { isInList = false }

  /// Whether the next member continues a list.
  private var isInList = false

  @inline(__always)
  private func defineValue() {
    guard definitionLevel > 0 else { return }
    values.definitionLevels.append(1)
    guard column.count == .list else { return }
    values.repetitionLevels.append(isInList ? 1 : 0)
    isInList = true
  }
}
