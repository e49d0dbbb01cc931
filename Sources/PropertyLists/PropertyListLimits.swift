/// Limits on the work that input can cause a reader to do.
///
/// Memory and time are proportional to the file's size in any case; the limits refuse files that are larger or more
/// deeply nested than a caller expects.
public struct PropertyListLimits: Hashable, Sendable {
  /// The largest file, in bytes. Default: 1 GiB. Files of 4 GiB and more are always refused.
  public var byteCount: Int
  /// The most objects in the object table. Default: 50 million.
  public var objectCount: Int
  /// The deepest nesting of arrays, sets and dictionaries. Default: 128.
  ///
  /// Keyed archives have at most four levels whatever they contain, since their objects refer to each other by number.
  public var depth: Int

  /// Creates limits.
  public init(byteCount: Int = 1 << 30, objectCount: Int = 50_000_000, depth: Int = 128) {
    self.byteCount = byteCount
    self.objectCount = objectCount
    self.depth = depth
  }

  /// The limits used where none are specified.
  public static let `default` = PropertyListLimits()
}
