/// Whether a comparison is about its left side or about that side's elements; raw values are those
/// of `NSComparisonPredicate.Modifier`, which is this type, and of `NSModifier` in archives.
public enum ComparisonModifier: UInt, Hashable, Sendable, CaseIterable {
  /// The left side itself.
  case direct = 0
  /// `ALL`: every element of the left side.
  case all = 1
  /// `ANY`, `SOME`: at least one element of the left side.
  case any = 2
}
