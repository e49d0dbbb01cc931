import DataModels

/// Names as a store's schema has them, and the order of entities; attributes are in that of `NameOrder`.
enum SchemaNames {
  /// Without regard to case; names that differ in case alone fall back to the literal order, so
  /// that the result never depends on where they came from.
  static func precedes(_ left: String, _ right: String) -> Bool {
    let (foldedLeft, foldedRight) = (left.lowercased(), right.lowercased())
    return foldedLeft == foldedRight
      ? NameOrder.precedes(left, right) : NameOrder.precedes(foldedLeft, foldedRight)
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
