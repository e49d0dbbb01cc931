/// Changes of one source file's text, which keep every line in its place.
///
/// A replacement has at least as many line breaks as what it replaces: those that its text lacks are added to it.
struct SourceEdits {
  private struct Edit {
    var range: Range<Int>
    var text: [UInt8]
  }

  private let source: [UInt8]
  private var edits: [Edit] = []

  /// Changes of the source with these bytes.
  init(_ source: [UInt8]) {
    self.source = source
  }

  /// Whether nothing was changed.
  var isEmpty: Bool { edits.isEmpty }

  /// Puts text in the place of other; positions are offsets in the source's bytes.
  mutating func replace(_ range: Range<Int>, with text: String) {
    var bytes = Array(text.utf8)
    let missing = lineBreaks(source[range]) - lineBreaks(bytes[...])
    if missing > 0 { bytes += Array(repeating: newline, count: missing) }
    edits.append(Edit(range: range, text: bytes))
  }

  /// Puts text before the byte at `offset`.
  mutating func insert(_ text: String, at offset: Int) {
    edits.append(Edit(range: offset..<offset, text: Array(text.utf8)))
  }

  /// Takes text out, with the blank that follows it on its line.
  mutating func remove(_ range: Range<Int>) {
    var end = range.upperBound
    while end < source.count, source[end] == UInt8(ascii: " ") { end += 1 }
    replace(range.lowerBound..<end, with: "")
  }

  /// Takes a stretch out with all changes within it, and returns it as they leave it.
  mutating func extract(_ range: Range<Int>) -> String {
    let text = applied(to: range)
    edits.removeAll {
      range.contains($0.range.lowerBound) && $0.range.upperBound <= range.upperBound
    }
    replace(range, with: "")
    return text
  }

  /// The source as the changes leave it.
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
      // What overlaps an earlier change is left out: the text it means isn't there any more.
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
