/// Divides a column's values into pages, between rows.
struct PageRanges {
  private let values: ColumnValues
  private let column: ParquetColumn
  private let limit: Int
  private var level = 0
  private var value = 0

  /// - Parameter limit: The size in bytes after which a page ends, and the number of places, since those without value
  ///   and Booleans count as nothing.
  init(_ values: ColumnValues, of column: ParquetColumn, limit: Int) {
    self.values = values
    self.column = column
    self.limit = limit
  }

  /// The number of places for values, of which some may have none.
  private var levelCount: Int {
    if column.definitionLevel > 0 { return values.definitionLevels.count }
    return column.type.width == nil ? values.ends.count : fixedCount
  }

  private var fixedCount: Int {
    column.type.physical == .fixedLengthByteArray
      ? values.bytes.count / 16 : values.integers.count + values.reals.count
  }

  /// The next page's levels, and its values; nil at the end.
  mutating func next() -> (levels: Range<Int>, values: Range<Int>)? {
    let end = levelCount
    guard level < end else { return nil }
    let (firstLevel, firstValue) = (level, value)
    var size = 0
    while level < end {
      let isRow = values.repetitionLevels.isEmpty || values.repetitionLevels[level] == 0
      if isRow, size >= limit || level - firstLevel >= limit { break }
      if column.definitionLevel == 0 || values.definitionLevels[level] == 1 {
        size += column.type.width ?? values.byteRange(of: value).count
        value += 1
      }
      level += 1
    }
    return (firstLevel..<level, firstValue..<value)
  }
}
