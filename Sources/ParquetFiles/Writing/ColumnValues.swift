/// The values of one column in a row group, as they are appended.
///
/// Of the four lists of values, a column uses that of its type.
struct ColumnValues: Sendable {
  /// Booleans, integers, decimals of up to 18 digits, timestamps.
  var integers: [Int64] = []
  /// Single and double precision.
  var reals: [Double] = []
  /// Values as a page has them: of fixed length, or each after its length in four bytes.
  var bytes: [UInt8] = []
  /// Where each value of varying length ends in ``bytes``.
  var ends: [Int] = []
  /// Whether there is a value: a level for each row, or for each member of a list. Unused in columns that always have
  /// one.
  var definitionLevels: [UInt8] = []
  /// Whether a member continues its row's list. Unused in columns without lists.
  var repetitionLevels: [UInt8] = []

  /// The memory in use, roughly.
  var size: Int { bytes.count + 8 * (integers.count + ends.count) }

  /// The size of a value of varying length as it is in a page.
  func byteRange(of value: Int) -> Range<Int> {
    (value == 0 ? 0 : ends[value - 1])..<ends[value]
  }
}
