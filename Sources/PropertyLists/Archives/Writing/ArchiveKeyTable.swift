/// The numbered keys of one kind of archive. Created once and shared by all archives of that kind.
package struct ArchiveKeyTable: Sendable {
  private(set) var texts: [String] = []
  /// The hash of each key, which determines the order of dictionaries.
  private(set) var hashes: [UInt64] = []
  private var numbers: [String: Int] = [:]

  /// - Parameter keys: The keys; their positions become their numbers.
  package init(_ keys: [String]) {
    for key in keys { _ = number(of: key) }
    for key in ["$classname", "$classes", "$class"] { _ = number(of: key) }
  }

  /// The number of a key, assigned now if it has none.
  mutating func number(of key: String) -> Int {
    if let known = numbers[key] { return known }
    texts.append(key)
    hashes.append(CoreFoundationOrder.hash(key))
    numbers[key] = texts.count - 1
    return texts.count - 1
  }
}

/// The dictionary layout shared by objects with the same keys: the position of each added field.
///
/// Most objects of an archive have one of a few shapes, so the order of Foundation's hash tables is computed once per
/// shape.
struct DictionaryShape: BitwiseCopyable {
  /// The start of the shape's words: the keys as they were added, each key's position in the dictionary, and the key
  /// nodes in dictionary order.
  var start: Int
  var count: Int

  var keys: Range<Int> { start..<start &+ count }
  var places: Range<Int> { start &+ count..<start &+ count &* 2 }
  var keyNodes: Range<Int> { start &+ count &* 2..<start &+ count &* 3 }
}
