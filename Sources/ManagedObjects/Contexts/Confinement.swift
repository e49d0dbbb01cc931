import Foundation

/// Whether contexts and their objects check that they are used on their queues; see
/// ``NSManagedObjectContext/checksConfinement``.
enum Confinement {
  /// Looks at the environment and the command line, the first time.
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
  /// Whether using a context or one of its objects off the context's queue ends the program, with a
  /// message that names the context. For finding mistakes; it costs a little at every access.
  ///
  /// False, unless the program was started with `-com.apple.CoreData.ConcurrencyDebug 1`, as for Core
  /// Data, or with `MOMKIT_CONCURRENCY_DEBUG=1` in its environment. To be set before objects are used
  /// by several threads. Contexts without a queue (``init()``) aren't checked.
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

  /// Ends the program when checks are on and the caller isn't on the context's queue.
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
