import DataModels

/// Names in a store's schema, and the order of entities; attributes are in the order of `NameOrder`.
enum SchemaNames {
  /// Compares names case-insensitively. Names that differ only in case are compared literally, so that the result is
  /// deterministic.
  static func precedes(_ left: String, _ right: String) -> Bool {
    let (foldedLeft, foldedRight) = (left.lowercased(), right.lowercased())
    return foldedLeft == foldedRight
      ? NameOrder.precedes(left, right) : NameOrder.precedes(foldedLeft, foldedRight)
  }

  /// An attribute's name converted to uppercase character by character: a character without a single uppercase
  /// equivalent (`ß`) is kept. Entities and relationships use `uppercased()`.
  static func attributeCapitals(_ name: String) -> String {
    var capitals = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      let mapped = scalar.properties.uppercaseMapping.unicodeScalars
      capitals.append(mapped.count == 1 ? mapped.first ?? scalar : scalar)
    }
    return String(capitals)
  }
}
