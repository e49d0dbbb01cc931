/// Limits on the work that an archive can cause its decoder to do.
public struct ArchiveLimits: Hashable, Sendable {
  /// The largest file, in bytes. Default: 1 GiB.
  public var byteCount: Int
  /// The most objects in `$objects`. Default: 10 million.
  public var objectCount: Int
  /// The deepest nesting of collections decoded as values. Default: 128.
  ///
  /// Chains of objects that refer to each other may have any length; they do not count as nesting.
  public var depth: Int
  /// The most bytes of text that decoding may produce, as UTF-8. Default: 1 GiB.
  public var stringByteCount: Int

  /// Creates limits.
  public init(
    byteCount: Int = 1 << 30, objectCount: Int = 10_000_000, depth: Int = 128,
    stringByteCount: Int = 1 << 30
  ) {
    self.byteCount = byteCount
    self.objectCount = objectCount
    self.depth = depth
    self.stringByteCount = stringByteCount
  }

  /// The limits used where none are specified.
  public static let `default` = ArchiveLimits()

  /// The most bytes that may be produced from a file in which values are shared by many containers.
  package func expansion(ofFile byteCount: Int) -> Int {
    let share = byteCount.multipliedReportingOverflow(by: 256)
    return min(stringByteCount, max(1 << 24, share.overflow ? .max : share.partialValue))
  }

  var propertyList: PropertyListLimits {
    PropertyListLimits(byteCount: byteCount, objectCount: 50_000_000, depth: depth)
  }
}
