/// Edits of a source file that preserve line numbers.
///
/// A replacement has at least as many line breaks as the text it replaces; missing ones are added.
struct SourceEdits {
  private struct Edit {
    var range: Range<Int>
    var text: [UInt8]
  }

  private let source: [UInt8]
  private var edits: [Edit] = []

  /// Creates an empty list of edits for a source's UTF-8 bytes.
  init(_ source: [UInt8]) {
    self.source = source
  }

  /// Whether there are no edits.
  var isEmpty: Bool { edits.isEmpty }

  /// Replaces a range of text. Positions are byte offsets in the original source.
  mutating func replace(_ range: Range<Int>, with text: String) {
    var bytes = Array(text.utf8)
    let missing = lineBreaks(source[range]) - lineBreaks(bytes[...])
    if missing > 0 { bytes += Array(repeating: newline, count: missing) }
    edits.append(Edit(range: range, text: bytes))
  }

  /// Inserts text before the byte at `offset`.
  mutating func insert(_ text: String, at offset: Int) {
    edits.append(Edit(range: offset..<offset, text: Array(text.utf8)))
  }

  /// Removes text, with the space that follows it on its line.
  mutating func remove(_ range: Range<Int>) {
    var end = range.upperBound
    while end < source.count, source[end] == UInt8(ascii: " ") { end += 1 }
    replace(range.lowerBound..<end, with: "")
  }

  /// Removes a range with all its edits, and returns the edited text.
  mutating func extract(_ range: Range<Int>) -> String {
    let text = applied(to: range)
    edits.removeAll {
      range.contains($0.range.lowerBound) && $0.range.upperBound <= range.upperBound
    }
    replace(range, with: "")
    return text
  }

  /// The source with all edits applied.
  var result: [UInt8] { Array(applied(to: source.startIndex..<source.endIndex).utf8) }

  private func applied(to whole: Range<Int>) -> String {
    let sorted = edits.enumerated()
      .filter { whole.lowerBound <= $1.range.lowerBound && $1.range.upperBound <= whole.upperBound }
      .sorted {
        ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
      }
    var bytes: [UInt8] = []
    var position = whole.lowerBound
    for (_, edit) in sorted {
      // An edit that overlaps an earlier one is dropped: the text it refers to no longer exists.
      guard edit.range.lowerBound >= position else { continue }
      bytes += source[position..<edit.range.lowerBound] + edit.text
      position = edit.range.upperBound
    }
    bytes += source[position..<whole.upperBound]
    return String(decoding: bytes, as: UTF8.self)
  }

  private let newline = UInt8(ascii: "\n")

  private func lineBreaks(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.count { $0 == newline }
  }
}
