#if !canImport(ObjectiveC)
  /// Runs a block, within which Objective-C would collect what is to be released: here all is released at once.
  public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
  }
#endif

#if os(Linux)
  /// Nanoseconds in a second, as `import CoreData` shows it on Apple's systems.
  public var NSEC_PER_SEC: UInt64 { 1_000_000_000 }
  /// Nanoseconds in a millisecond.
  public var NSEC_PER_MSEC: UInt64 { 1_000_000 }
  /// Microseconds in a second.
  public var USEC_PER_SEC: UInt64 { 1_000_000 }
  /// Nanoseconds in a microsecond.
  public var NSEC_PER_USEC: UInt64 { 1_000 }
#endif

#if !canImport(ObjectiveC)
  /// The least code of errors of validation, as Foundation has it on Apple's systems.
  public var NSValidationErrorMinimum: Int { 1024 }
  /// The greatest code of errors of validation.
  public var NSValidationErrorMaximum: Int { 2047 }
#endif
