/// Estimates the width of text: slightly more than in the interface fonts of browsers.
///
/// The layout is computed without fonts, so that the same model results in the same drawing everywhere.
enum TextWidth {
  /// The widths of the characters from space to tilde, in thousandths of the font size, in Helvetica.
  private static let ascii: [Double] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
  ]

  /// The width of a string in a font of a given size.
  static func of(_ text: String, size: Double, isBold: Bool = false) -> Double {
    let units = text.unicodeScalars.reduce(0.0) { $0 + width(of: $1) }
    return units / 1000 * size * (isBold ? 1.14 : 1.06)
  }

  /// A string shortened to a width, with an ellipsis in place of the rest.
  static func shortened(_ text: String, to width: Double, size: Double, isBold: Bool = false)
    -> String
  {
    guard of(text, size: size, isBold: isBold) > width else { return text }
    let room = (width / size / (isBold ? 1.14 : 1.06) * 1000) - 1000
    var (used, result) = (0.0, "")
    for character in text {
      used += character.unicodeScalars.reduce(0.0) { $0 + self.width(of: $1) }
      // A single character may consist of any number of combining marks.
      if used > room || result.utf8.count > 400 { break }
      result.append(character)
    }
    return result + "…"
  }

  private static func width(of scalar: Unicode.Scalar) -> Double {
    let value = Int(scalar.value)
    if (0x20...0x7E).contains(value) { return ascii[value - 0x20] }
    return value < 0x1100 ? 600 : 1000
  }
}
