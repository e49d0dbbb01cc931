import DataModels

/// Names in a store's schema, and the order of entities; attributes are in the order of `NameOrder`.
enum SchemaNames {
  /// Elements in the order of their names.
  static func inOrder<Element>(
    _ elements: [Element], _ name: (Element) -> String
  ) -> [Element] {
    guard elements.count > 1 else { return elements }
    return elements.map { (element: $0, name: Ordered(name($0))) }
      .sorted { $0.name < $1.name }.map(\.element)
  }

  /// A name as names are sorted: without regard to case; names that differ in case alone fall back to the
  /// literal order, so that the result never depends on where they came from.
  private struct Ordered {
    private let name: String
    private let folded: String

    init(_ name: String) { (self.name, folded) = (name, name.lowercased()) }

    static func < (left: Ordered, right: Ordered) -> Bool {
      left.folded == right.folded
        ? NameOrder.precedes(left.name, right.name)
        : NameOrder.precedes(left.folded, right.folded)
    }
  }

  /// Whether a name can stand in SQL without quotation marks, as Core Data writes them: letters, digits, `_` and `$`,
  /// beyond ASCII any character.
  static func isPlain(_ name: String) -> Bool {
    name.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
      default: !scalar.isASCII
      }
    }
  }

  /// An attribute's name converted to uppercase character by character: a character without a single uppercase
  /// equivalent (`ß`) is kept. Entities and relationships use `uppercased()`.
  static func attributeCapitals(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.uppercased() }
    var capitals = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      let mapped = scalar.properties.uppercaseMapping.unicodeScalars
      capitals.append(mapped.count == 1 ? mapped.first ?? scalar : scalar)
    }
    return String(capitals)
  }

  /// A name as SQLite compares names: without regard to case in ASCII, and literally beyond it. Swift's `uppercased()`
  /// makes `SS` of an `ß`, which SQLite keeps.
  static func folded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }, as: UTF8.self)
  }
}
