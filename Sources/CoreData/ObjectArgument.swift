#if !canImport(ObjectiveC)
  import Foundation

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
#endif
