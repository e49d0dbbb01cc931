/// Locking, as used by programs before contexts had queues.
extension NSManagedObjectContext {
  /// Acquires the coordinator's recursive lock, which keeps other threads from using the stores until ``unlock()``. A
  /// no-op without a coordinator.
  @available(*, deprecated, message: "use performAndWait(_:)")
  public final func lock() { persistentStoreCoordinator?.lock() }

  /// Acquires the lock if it is available; returns false if another thread holds it, or without a coordinator.
  @available(*, deprecated, message: "use performAndWait(_:)")
  public final func tryLock() -> Bool { persistentStoreCoordinator?.tryLock() ?? false }

  /// Releases the lock.
  @available(*, deprecated, message: "use performAndWait(_:)")
  public final func unlock() { persistentStoreCoordinator?.unlock() }
}
