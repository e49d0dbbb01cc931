/// Locks, as programs had them before contexts had queues.
extension NSManagedObjectContext {
  /// Keeps other threads from using the stores until ``unlock()``: waits for the coordinator's lock, which the same
  /// thread may take several times. Without a coordinator it does nothing.
  @available(*, deprecated, message: "use performAndWait(_:)")
  public final func lock() { persistentStoreCoordinator?.lock() }

  /// Takes the lock if nobody else has it; otherwise, or without a coordinator, gives false.
  @available(*, deprecated, message: "use performAndWait(_:)")
  public final func tryLock() -> Bool { persistentStoreCoordinator?.tryLock() ?? false }

  /// Gives the lock back.
  @available(*, deprecated, message: "use performAndWait(_:)")
  public final func unlock() { persistentStoreCoordinator?.unlock() }
}
