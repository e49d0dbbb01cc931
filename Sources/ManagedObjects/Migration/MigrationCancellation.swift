import Foundation

/// The running and cancellation state of a migration, accessible from any thread.
final class MigrationCancellation: @unchecked Sendable {
  private let lock = NSLock()
  private var running = false
  private var reason: (any Error)?
  private var followed: Progress?

  var isRunning: Bool { lock.withLock { running } }
  var error: (any Error)? { lock.withLock { reason } }

  func begin() { lock.withLock { (running, reason) = (true, nil) } }
  func end() { lock.withLock { running = false } }
  func cancel(with error: any Error) {
    lock.withLock {
      reason = error
      return followed
    }?.cancel()
  }

  /// Runs `body`; if the migration is cancelled meanwhile, `progress` is too.
  func following(_ progress: Progress, _ body: () throws -> Void) rethrows {
    lock.withLock { followed = progress }
    defer { lock.withLock { followed = nil } }
    try body()
  }
}
