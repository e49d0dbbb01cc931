/// A sort by a key, as a value: what an archived `NSSortDescriptor` says.
public struct SortKey: Hashable, Sendable {
  /// The key path; nil sorts by the objects themselves.
  public var key: String?
  /// Whether small values come first.
  public var ascending: Bool
  /// The selector that compares two values: `compare:`, `caseInsensitiveCompare:`, …
  public var selector: String?
  /// What an archive says under `NSReverseNullOrder`; nil when it doesn't, as older ones.
  public var reversesNullOrder: Bool?

  /// Makes a sort key.
  public init(
    _ key: String?, ascending: Bool = true, selector: String? = "compare:",
    reversesNullOrder: Bool? = nil
  ) {
    self.key = key
    self.ascending = ascending
    self.selector = selector
    self.reversesNullOrder = reversesNullOrder
  }
}
