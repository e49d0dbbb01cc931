/// How an index orders what it holds.
public enum NSFetchIndexElementType: UInt, Sendable, CaseIterable {
  /// A sorted tree.
  case binary = 0
  /// A tree of ranges, for numbers in several dimensions.
  case rTree = 1
}
