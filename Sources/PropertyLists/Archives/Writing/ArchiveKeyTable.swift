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

/// The dictionaries of objects that have the same keys: where each field put stands in them.
///
/// Most objects of an archive are of a few shapes; the order of Foundation's hash tables is worked
/// out once for each.
struct DictionaryShape: BitwiseCopyable {
  /// Where the shape's words begin: the keys as they were put, the place of each in the dictionary,
  /// the nodes of the keys in the dictionary's order.
  var start: Int
  var count: Int

  var keys: Range<Int> { start..<start &+ count }
  var places: Range<Int> { start &+ count..<start &+ count &* 2 }
  var keyNodes: Range<Int> { start &+ count &* 2..<start &+ count &* 3 }
}
