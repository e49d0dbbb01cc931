import Foundation

/// Whether contexts and their objects check that they are used on their queues; see
/// ``NSManagedObjectContext/checksConfinement``.
enum Confinement {
  /// Reads the setting from the environment and the command line, once.
  static let setUp: Void = {
    let process = ProcessInfo.processInfo
    if let value = process.environment["MOMKIT_CONCURRENCY_DEBUG"], value != "0", !value.isEmpty {
      confinementIsChecked = true
    }
    let arguments = process.arguments
    if let index = arguments.firstIndex(of: "-com.apple.CoreData.ConcurrencyDebug"),
      arguments.indices.contains(index + 1), let level = Int(arguments[index + 1]), level > 0
    {
      confinementIsChecked = true
    }
  }()
}

extension NSManagedObjectContext {
  /// Whether using a context or one of its objects off the context's queue traps with a message that names the
  /// context. A debugging aid with a small cost at every access.
  ///
  /// False by default. True if the program was started with `-com.apple.CoreData.ConcurrencyDebug 1`, as with Core
  /// Data, or with `MOMKIT_CONCURRENCY_DEBUG=1` in its environment. Set it before several threads use objects.
  /// Contexts without a queue (``init()``) aren't checked.
  public static var checksConfinement: Bool {
    get {
      Confinement.setUp
      return confinementIsChecked
    }
    set {
      Confinement.setUp
      confinementIsChecked = newValue
    }
  }

  /// Traps if checks are enabled and the caller isn't on the context's queue.
  @inline(__always)
  final func checkQueue() {
    if confinementIsChecked { requireQueue() }
  }

  @inline(never)
  final func requireQueue() {
    precondition(
      queue.isCurrent,
      "NSManagedObjectContext\(name.map { " '\($0)'" } ?? ""): it or one of its objects is used off "
        + "its queue; use perform(_:) or performAndWait(_:)")
  }
}
