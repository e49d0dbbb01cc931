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
    _ part: KnownStores.Part, of generation: QueryGeneration?,
    _ body: (any StoreEngine) throws -> Result
  ) throws -> Result {
    if generation == nil, let pool = part.readers, !storesLock.isHeldHere {
      guard pool.isPreferred || storesLock.wasContended || !storesLock.tryLock() else {
        defer { storesLock.unlock() }
        return try body(part.store.requireEngine())
      }
      if let slot = part.takeReader(of: pool) {
        defer { pool.recycle(slot) }
        return try body(slot.engine)
      }
    }
    return try locked {
      let present = try part.store.requireEngine()
      return try body(generation?.reader(of: part.store) ?? present)
    }
  }
}
