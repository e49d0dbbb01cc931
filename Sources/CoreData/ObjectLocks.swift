#if !canImport(ObjectiveC)
  import Foundation

  /// The locks that threads hold, or wait for, by the objects that stand for them.
  private final class ObjectLocks: @unchecked Sendable {
    // Sendable: the table is only touched under its own lock.

    static let shared = ObjectLocks()

    private let lock = NSLock()
    private var locks: [ObjectIdentifier: (lock: NSRecursiveLock, count: Int)] = [:]

    /// The lock of an object, for one that enters it.
    func entered(_ id: ObjectIdentifier) -> NSRecursiveLock {
      lock.withLock {
        let (found, count) = locks[id] ?? (NSRecursiveLock(), 0)
        locks[id] = (found, count + 1)
        return found
      }
    }

    /// The lock of an object, for one that leaves it: nil when nobody is in it. Others have it forgotten.
    func left(_ id: ObjectIdentifier) -> NSRecursiveLock? {
      lock.withLock {
        guard let (found, count) = locks[id] else { return nil }
        locks[id] = count > 1 ? (found, count - 1) : nil
        return found
      }
    }
  }

  /// Begins what one thread at a time may do with an object, as Objective-C's `@synchronized` does; a thread may
  /// enter again what it is in.
  ///
  /// - Returns: 0, as the runtime says it of success.
  @discardableResult
  public func objc_sync_enter(_ object: Any) -> Int32 {
    ObjectLocks.shared.entered(ObjectIdentifier(object as AnyObject)).lock()
    return 0
  }

  /// Ends what ``objc_sync_enter(_:)`` began.
  ///
  /// - Returns: 0, or -1 when nobody had begun.
  @discardableResult
  public func objc_sync_exit(_ object: Any) -> Int32 {
    guard let lock = ObjectLocks.shared.left(ObjectIdentifier(object as AnyObject)) else {
      return -1
    }
    lock.unlock()
    return 0
  }
#endif
