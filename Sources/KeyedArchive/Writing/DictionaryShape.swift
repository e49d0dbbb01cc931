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
