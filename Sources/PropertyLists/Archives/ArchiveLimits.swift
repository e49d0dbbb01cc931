/// How much work decoding may be made to do by the archive it is given.
public struct ArchiveLimits: Hashable, Sendable {
  /// The largest file, in bytes. Default: 1 GiB.
  public var byteCount: Int
  /// The most objects in `$objects`. Default: 10 million.
  public var objectCount: Int
  /// The deepest nesting of collections that are decoded as values. Default: 128.
  ///
  /// Objects that refer to each other may form chains of any length: they take no depth.
  public var depth: Int
  /// The most bytes of text that decoding may make, as UTF-8. Default: 1 GiB.
  public var stringByteCount: Int

  /// Makes limits.
  public init(
    byteCount: Int = 1 << 30, objectCount: Int = 10_000_000, depth: Int = 128,
    stringByteCount: Int = 1 << 30
  ) {
    self.byteCount = byteCount
    self.objectCount = objectCount
    self.depth = depth
    self.stringByteCount = stringByteCount
  }

  /// The limits used where none are given.
  public static let `default` = ArchiveLimits()

  /// The most bytes to be made of a file in which values stand in many places.
  func expansion(ofFile byteCount: Int) -> Int {
    let share = byteCount.multipliedReportingOverflow(by: 256)
    return min(stringByteCount, max(1 << 24, share.overflow ? .max : share.partialValue))
  }

  var propertyList: PropertyListLimits {
    PropertyListLimits(byteCount: byteCount, objectCount: 50_000_000, depth: depth)
  }
}
