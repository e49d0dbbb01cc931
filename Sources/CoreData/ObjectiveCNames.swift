#if !canImport(ObjectiveC)
  import Foundation
  import MomKit

  /// Runs a block. Objective-C would drain an autorelease pool afterwards; here objects are released immediately.
  public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
  }

  /// The name of a selector: of a method, or of a property for a getter's selector.
  public func NSStringFromSelector(_ selector: Selector) -> String { selector.name }

  /// A selector with this name, which has no method to call.
  public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }

  extension NSObject {
    /// The name of the class, like `NSStringFromClass(_:)`.
    public class func description() -> String { NSStringFromClass(self) }
  }

  extension FileProtectionType: @retroactive Hashable {}

  extension NSError {
    /// The underlying errors, from `NSUnderlyingErrorKey` and `NSMultipleUnderlyingErrorsKey`.
    public var underlyingErrors: [any Error] {
      let several = userInfo["NSMultipleUnderlyingErrorsKey"] as? [any Error] ?? []
      return (userInfo[NSUnderlyingErrorKey] as? any Error).map { [$0] + several } ?? several
    }
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
