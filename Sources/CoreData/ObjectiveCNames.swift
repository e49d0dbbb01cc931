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

  /// A value as an argument of a format, like `value as CVarArg` on Apple's platforms.
  ///
  /// There the Objective-C runtime converts every error to an `NSError`. Here `any Error` conforms to nothing but
  /// `Error`, so `momtool port` writes a call of this function for `error as CVarArg`.
  ///
  /// - Returns: the value if it is an argument itself, the `NSError` of an error, and the description of any other value.
  public func objectArgument(_ value: Any) -> any CVarArg {
    switch value {
    case let argument as any CVarArg: argument
    case let error as any Error: error as NSError
    default: String(describing: value)
    }
  }

  extension AnyKeyPath {
    /// The key path string of a path of managed properties. Without the Objective-C runtime, Swift's own property with
    /// this name is nil, but libraries that build predicates from key paths rely on it.
    public var _kvcKeyPathString: String? {
      // The identity key path.
      debugDescription.hasSuffix(".self") ? "self" : KeyPathNames.name(of: self)
    }
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
