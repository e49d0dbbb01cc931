import Foundation

/// The order in which Xcode writes attributes and children.
enum XcodeOrder {
  /// The tree with all attributes and children where Xcode puts them; unknown ones last, in their
  /// order.
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

  /// Puts a new attribute before the first one that Xcode writes after it.
  static func insert(_ attribute: SourceAttribute, into element: inout SourceElement) {
    let order = SourceVocabulary.entries[element.name]?.attributes ?? []
    let followers = Set(order.drop { $0 != attribute.name }.dropFirst())
    let place = element.attributes.firstIndex { followers.contains($0.name) }
    element.attributes.insert(attribute, at: place ?? element.attributes.endIndex)
  }

  /// Puts a new child before the first one that Xcode writes after it.
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

  /// Whether Xcode lists `first` before `second`: without regard to case, numbers by their value.
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
