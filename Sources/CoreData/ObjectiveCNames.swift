#if !canImport(ObjectiveC)
  /// Runs a block. Objective-C would drain an autorelease pool afterwards; here objects are released immediately.
  public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
  }
#endif

#if os(Linux)
  /// Nanoseconds per second, which `import CoreData` also exports on Apple's systems.
  public var NSEC_PER_SEC: UInt64 { 1_000_000_000 }
  /// Nanoseconds per millisecond.
  public var NSEC_PER_MSEC: UInt64 { 1_000_000 }
  /// Microseconds per second.
  public var USEC_PER_SEC: UInt64 { 1_000_000 }
  /// Nanoseconds per microsecond.
  public var NSEC_PER_USEC: UInt64 { 1_000 }
#endif

#if !canImport(ObjectiveC)
  /// The lowest code of validation errors, as in Foundation on Apple's systems.
  public var NSValidationErrorMinimum: Int { 1024 }
  /// The highest code of validation errors.
  public var NSValidationErrorMaximum: Int { 2047 }
#endif
