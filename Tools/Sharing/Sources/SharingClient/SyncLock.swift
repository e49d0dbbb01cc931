import Foundation

/// Keeps two processes from synchronizing the same store at once. It ends with the process.
struct SyncLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock of a store.
  ///
  /// - Throws: ``SyncError/isRunning`` if another has it.
  init(_ store: URL) throws {
    descriptor = open(store.path + ".sync", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw SyncError.isRunning
    }
  }

  func release() { close(descriptor) }
}
