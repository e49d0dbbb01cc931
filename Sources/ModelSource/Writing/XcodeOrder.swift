import Foundation

/// The order in which Xcode writes attributes and children.
enum XcodeOrder {
  /// The tree with all attributes and children in Xcode's order; unknown ones follow in their original order.
  static func sorted(_ element: SourceElement) -> SourceElement {
    var result = element
    if let entry = SourceVocabulary.entries[element.name] {
      let ranks = ranks(entry.attributes)
      result.attributes = stableSorted(element.attributes) {
        ranks[$0.name] ?? entry.attributes.count
      }
      result.children = sortedChildren(element.children, entry)
    }
    result.children = result.children.map(sorted)
    return result
  }

  /// Inserts a new attribute before the first one that follows it in Xcode's order.
  static func insert(_ attribute: SourceAttribute, into element: inout SourceElement) {
    let order = SourceVocabulary.entries[element.name]?.attributes ?? []
    let followers = Set(order.drop { $0 != attribute.name }.dropFirst())
    let place = element.attributes.firstIndex { followers.contains($0.name) }
    element.attributes.insert(attribute, at: place ?? element.attributes.endIndex)
  }

  /// Inserts a new child before the first one that follows it in Xcode's order.
  static func insert(_ child: SourceElement, into element: inout SourceElement) {
    let entry = SourceVocabulary.entries[element.name]
    let order = entry?.children ?? []
    let followers = Set(order.drop { $0 != child.name }.dropFirst())
    let place = element.children.firstIndex { other in
      if followers.contains(other.name) { return true }
      guard other.name == child.name, entry?.sortsChildren == true,
        let name = child["name"], let otherName = other["name"]
      else { return false }
      return precedes(name, otherName)
    }
    element.children.insert(child, at: place ?? element.children.endIndex)
  }

  /// Whether Xcode sorts `first` before `second`: case-insensitively, with numbers compared by value.
  static func precedes(_ first: String, _ second: String) -> Bool {
    XcodeNameOrder.precedes(first, second)
  }

  private static func sortedChildren(
    _ children: [SourceElement], _ entry: SourceVocabulary.Entry
  ) -> [SourceElement] {
    let ranks = ranks(entry.children)
    let byKind = stableSorted(children) { ranks[$0.name] ?? entry.children.count }
    guard entry.sortsChildren else { return byKind }
    var result: [SourceElement] = []
    var rest = byKind[...]
    while let first = rest.first {
      let run = rest.prefix { $0.name == first.name }
      rest = rest.dropFirst(run.count)
      result += run.sorted { precedes($0["name"] ?? "", $1["name"] ?? "") }
    }
    return result
  }

  private static func ranks(_ names: [String]) -> [String: Int] {
    Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static func stableSorted<Item>(
    _ items: [Item], by rank: (Item) -> Int
  ) -> [Item] {
    items.enumerated().map { (rank($1), $0, $1) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
  }
}

/// Xcode's order of names: case-insensitive, with numbers compared by value, independent of the locale.
enum XcodeNameOrder {
  static func precedes(_ first: String, _ second: String) -> Bool {
    switch compare(Array(first.utf8), Array(second.utf8)) {
    case 0: first < second
    case let order: order < 0
    }
  }

  private static func compare(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var (left, right) = (first[...], second[...])
    while let a = left.first, let b = right.first {
      if isDigit(a), isDigit(b) {
        let (leftNumber, rightNumber) = (number(&left), number(&right))
        if leftNumber.count != rightNumber.count { return leftNumber.count - rightNumber.count }
        for (x, y) in zip(leftNumber, rightNumber) where x != y { return Int(x) - Int(y) }
        continue
      }
      let (x, y) = (lowercased(a), lowercased(b))
      if x != y { return Int(x) - Int(y) }
      left.removeFirst()
      right.removeFirst()
    }
    return left.count - right.count
  }

  /// Removes the digits at the start, and returns them without leading zeros.
  private static func number(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = text.prefix(while: isDigit)
    text = text.dropFirst(digits.count)
    return digits.drop { $0 == UInt8(ascii: "0") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
