#if !canImport(ObjectiveC)
  import Foundation

  /// The locks that threads hold or wait for, by the identity of the objects they belong to.
  private final class ObjectLocks: @unchecked Sendable {
    // Sendable: the table is accessed only under its own lock.

    static let shared = ObjectLocks()

    private let lock = NSLock()
    private var locks: [ObjectIdentifier: (lock: NSRecursiveLock, count: Int)] = [:]

    /// The lock of an object, for a thread about to acquire it.
    func entered(_ id: ObjectIdentifier) -> NSRecursiveLock {
      lock.withLock {
        let (found, count) = locks[id] ?? (NSRecursiveLock(), 0)
        locks[id] = (found, count + 1)
        return found
      }
    }

    /// The lock of an object, for a thread about to release it; nil if it isn't held. The last thread removes it from
    /// the table.
    func left(_ id: ObjectIdentifier) -> NSRecursiveLock? {
      lock.withLock {
        guard let (found, count) = locks[id] else { return nil }
        locks[id] = count > 1 ? (found, count - 1) : nil
        return found
      }
    }
  }

  /// Acquires the recursive lock associated with an object, as Objective-C's `@synchronized` does.
  ///
  /// - Returns: 0 for success, as in the Objective-C runtime.
  @discardableResult
  public func objc_sync_enter(_ object: Any) -> Int32 {
    ObjectLocks.shared.entered(ObjectIdentifier(object as AnyObject)).lock()
    return 0
  }

  /// Releases a lock acquired by ``objc_sync_enter(_:)``.
  ///
  /// - Returns: 0, or -1 if the lock wasn't held.
  @discardableResult
  public func objc_sync_exit(_ object: Any) -> Int32 {
    guard let lock = ObjectLocks.shared.left(ObjectIdentifier(object as AnyObject)) else {
      return -1
    }
    lock.unlock()
    return 0
  }
#endif
