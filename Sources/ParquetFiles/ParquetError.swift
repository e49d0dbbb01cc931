/// Why a Parquet file can't be written.
package enum ParquetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A page would be larger than the format's numbers can say, because one value is.
  case tooLarge(column: String)
  /// A file has no columns, or two of one name.
  case invalidColumns(String)
  /// Memory is exhausted.
  case outOfMemory

  package var description: String {
    switch self {
    case .tooLarge(let column):
      "a value of the column \(column) is too large for a Parquet file: pages end at 2 GiB"
    case .invalidColumns(let reason): "no Parquet file can have these columns: \(reason)"
    case .outOfMemory: "memory is exhausted"
    }
  }
}
