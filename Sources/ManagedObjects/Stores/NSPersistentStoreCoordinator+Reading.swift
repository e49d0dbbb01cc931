import Foundation

/// Concurrent reading.
extension NSPersistentStoreCoordinator {
  /// Runs `body` with the engine that reads a store, for one request.
  ///
  /// Until a thread has had to wait for the lock, that is the writing connection, under the lock. Afterwards requests
  /// take a connection from the pool (``ReaderPool``) and don't wait. A thread that holds the lock always reads through
  /// the writing connection: a save, or `performAndWait(_:)`, sees its own open transaction.
  ///
  /// - Parameter generation: The state of the stores to read; nil for the current one.
  final func reading<Result>(
    _ store: NSPersistentStore, of generation: QueryGeneration?,
    _ body: (any StoreEngine) throws -> Result
  ) throws -> Result {
    if generation == nil, let pool = store.readers, !storesLock.isHeldHere {
      guard pool.isPreferred || storesLock.wasContended || !storesLock.tryLock() else {
        defer { storesLock.unlock() }
        return try body(store.requireEngine())
      }
      if let reader = pool.take() {
        defer { pool.recycle(reader) }
        return try body(reader)
      }
    }
    return try locked {
      let present = try store.requireEngine()
      return try body(generation?.reader(of: store) ?? present)
    }
  }
}
