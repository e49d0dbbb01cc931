/// An entity's name, as large as its box allows and broken into several lines if that makes it larger, for viewing a
/// large drawing as a whole.
struct FarName {
  /// The line height, as a multiple of the font size.
  static let spacing = 1.1
  private static let largest = 52.0
  private static let smallest = 8.0
  private static let most = 4

  private(set) var lines: [String]
  private(set) var size: Double

  init(_ name: String, width: Double, height: Double) {
    let words = Self.words(of: name)
    lines = [name]
    size = 0
    for count in 1...min(Self.most, max(1, words.count)) {
      let broken = Self.broken(words, into: count)
      let widest = broken.map { TextWidth.of($0, size: 1, isBold: true) }.max() ?? 1
      // Slightly less than the available space, because fonts differ.
      let fitting = min(
        Self.largest, width * 0.86 / max(widest, 0.1),
        height / (Double(broken.count) * Self.spacing))
      if fitting > size * 1.05 { (lines, size) = (broken, fitting) }
    }
    if size < Self.smallest {
      size = Self.smallest
      lines = [TextWidth.shortened(name, to: width, size: size, isBold: true)]
    }
  }

  /// The parts of a name that begin with capitals or follow underscores; a name with more than eight parts is kept
  /// whole.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var wasCapital = true
    for character in name {
      let isCapital = character.isUppercase || character.isNumber
      if words.isEmpty || (isCapital && !wasCapital) || words.last?.last == "_" {
        words.append("")
      }
      words[words.count - 1].append(character)
      wasCapital = isCapital
    }
    return words.count > 8 ? [name] : words
  }

  /// Breaks words into at most a number of lines of similar width.
  private static func broken(_ words: [String], into count: Int) -> [String] {
    let total = words.reduce(0) { $0 + TextWidth.of($1, size: 1, isBold: true) }
    var lines = [""]
    var used = 0.0
    for word in words {
      let width = TextWidth.of(word, size: 1, isBold: true)
      if lines.count < count, lines[lines.count - 1] != "",
        used + width / 2 > total * Double(lines.count) / Double(count)
      {
        lines.append("")
      }
      lines[lines.count - 1] += word
      used += width
    }
    return lines
  }
}
