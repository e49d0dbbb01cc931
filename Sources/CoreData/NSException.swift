#if !canImport(ObjectiveC)
  import Foundation

  /// An Objective-C exception. Swift can't catch one, so raising it ends the program on every platform; here the message
  /// has the name and the reason.
  open class NSException: NSObject, @unchecked Sendable {
    // Sendable: immutable.

    /// The name.
    public let name: NSExceptionName
    /// The reason.
    public let reason: String?
    /// Further information.
    public let userInfo: [AnyHashable: Any]?

    /// Creates an exception without raising it.
    public init(name: NSExceptionName, reason: String?, userInfo: [AnyHashable: Any]? = nil) {
      (self.name, self.reason, self.userInfo) = (name, reason, userInfo)
    }

    /// Ends the program.
    open func raise() {
      fatalError("*** \(name.rawValue): \(reason ?? "no reason was given")")
    }
  }

  /// Ends the program, as an uncaught exception does.
  public func objc_exception_throw(_ exception: Any) -> Never {
    guard let exception = exception as? NSException else { fatalError("*** \(exception)") }
    fatalError("*** \(exception.name.rawValue): \(exception.reason ?? "no reason was given")")
  }
#endif
