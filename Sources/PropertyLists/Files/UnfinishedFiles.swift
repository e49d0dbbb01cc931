import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files and folders to be deleted if the process ends before they are in place: drafts beside their targets, and the
/// contents of the folder for temporary files.
package enum UnfinishedFiles {
  private struct State {
    var paths: Set<String> = []
    var isEnding = false
    /// Called when the first path is added.
    var listen: (@Sendable () -> Void)?
  }

  private static let state = Mutex(State())

  /// Makes terminating signals remove unfinished files, starting with the first one added. Intended for command-line
  /// programs: a library should not change signal handling.
  package static func removeWhenSignalsEnd() {
    state.withLock { $0.listen = { EndingSignals.listen() } }
  }

  /// Registers a path that is about to be created.
  package static func add(_ path: String) {
    let (isEnding, listen) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      if !state.isEnding { state.paths.insert(path) }
      defer { state.listen = nil }
      return (state.isEnding, state.listen)
    }
    if isEnding { waitForTheEnd() }
    listen?()
  }

  /// Unregisters a path that no longer needs to be removed.
  package static func remove(_ path: String) {
    _ = state.withLock { $0.paths.remove(path) }
  }

  /// Moves something into place without being interrupted by a signal.
  package static func uninterrupted<Result>(_ body: () -> Result) -> Result {
    let result = state.withLock { $0.isEnding ? nil : body() }
    guard let result else { waitForTheEnd() }
    return result
  }

  /// Returns all registered paths. From then on, nothing is created or moved into place: the process is about to end.
  static func takeAll() -> Set<String> {
    state.withLock {
      $0.isEnding = true
      return $0.paths
    }
  }

  private static func waitForTheEnd() -> Never {
    while true { sleep(1) }
  }
}
