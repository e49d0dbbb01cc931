/// A location in a source document.
public struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The line, starting from 1.
  public var line: Int
  /// The column, starting from 1 and counted in UTF-8 bytes, as compilers do.
  public var column: Int

  /// Creates a location from a line and a column, both starting from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// `line:column`.
  public var description: String { "\(line):\(column)" }

  /// Orders locations by their position in the document.
  public static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// The offsets of the lines of a document, for converting byte offsets to lines and columns.
struct LineTable: Sendable, Equatable {
  /// The offset of the first byte of every line.
  private(set) var starts = [0]

  /// Records the end of a line at the line feed at `offset`.
  mutating func lineFeed(at offset: Int) {
    starts.append(offset + 1)
  }

  /// The line and column of a byte.
  func location(of offset: Int) -> SourceLocation {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return SourceLocation(line: low + 1, column: max(0, offset - starts[low]) + 1)
  }
}
