/// The keys that a kind of archive has, numbered: made once, for all archives of the kind.
package struct ArchiveKeyTable: Sendable {
  private(set) var texts: [String] = []
  /// The hash of each, by which dictionaries are ordered.
  private(set) var hashes: [UInt64] = []
  private var numbers: [String: Int] = [:]

  /// - Parameter keys: The keys; their positions become their numbers.
  package init(_ keys: [String]) {
    for key in keys { _ = number(of: key) }
    for key in ["$classname", "$classes", "$class"] { _ = number(of: key) }
  }

  /// The number of a key, given to it now when it has none.
  mutating func number(of key: String) -> Int {
    if let known = numbers[key] { return known }
    texts.append(key)
    hashes.append(CoreFoundationOrder.hash(key))
    numbers[key] = texts.count - 1
    return texts.count - 1
  }
}
