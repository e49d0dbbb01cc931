/// The two orders of names that decide entity numbers and column positions.
enum NameOrder {
  /// By UTF-16 code units as they are: `Z` before `a`.
  static func literal(_ left: String, _ right: String) -> Bool {
    left.utf16.lexicographicallyPrecedes(right.utf16)
  }

  /// Without regard to case; names that differ in case alone fall back to the literal order, so
  /// that the result never depends on where they came from.
  static func caseInsensitive(_ left: String, _ right: String) -> Bool {
    let (foldedLeft, foldedRight) = (left.lowercased(), right.lowercased())
    return foldedLeft == foldedRight
      ? literal(left, right) : literal(foldedLeft, foldedRight)
  }

  /// An attribute's name in capitals, character by character: one that has no single capital
  /// (`ß`) stays. Entities and relationships use `uppercased()`.
  static func attributeCapitals(_ name: String) -> String {
    var capitals = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      let mapped = scalar.properties.uppercaseMapping.unicodeScalars
      capitals.append(mapped.count == 1 ? mapped.first ?? scalar : scalar)
    }
    return String(capitals)
  }
}
