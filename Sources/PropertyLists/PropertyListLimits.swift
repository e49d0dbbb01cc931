/// How much work a reader may be made to do by the bytes it is given.
///
/// Memory and time stay proportional to the file in any case; the limits refuse files that are
/// larger or deeper than a caller expects.
public struct PropertyListLimits: Hashable, Sendable {
  /// The largest file, in bytes. Default: 1 GiB. Files of 4 GiB and more are always refused.
  public var byteCount: Int
  /// The most objects in the object table. Default: 50 million.
  public var objectCount: Int
  /// The deepest nesting of arrays, sets and dictionaries. Default: 128.
  ///
  /// Keyed archives nest four deep whatever they hold, since their objects refer to each other by
  /// number.
  public var depth: Int

  /// Makes limits.
  public init(byteCount: Int = 1 << 30, objectCount: Int = 50_000_000, depth: Int = 128) {
    self.byteCount = byteCount
    self.objectCount = objectCount
    self.depth = depth
  }

  /// The limits used where none are given.
  public static let `default` = PropertyListLimits()
}
