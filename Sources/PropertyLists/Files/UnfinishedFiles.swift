import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files and folders on their way, which nobody wants if the process ends before they are in place: drafts beside the
/// places they are for, and what lies in the folder for temporary files.
package enum UnfinishedFiles {
  private struct State {
    var paths: Set<String> = []
    var isEnding = false
    /// Called when there is the first path.
    var listen: (@Sendable () -> Void)?
  }

  private static let state = Mutex(State())

  /// Has the signals that would end the process remove such files first, from the first one on. For programs that
  /// are nothing but a command: a library has no say in signals.
  package static func removeWhenSignalsEnd() {
    state.withLock { $0.listen = { EndingSignals.listen() } }
  }

  /// Notes what is about to be made.
  package static func add(_ path: String) {
    let (isEnding, listen) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      if !state.isEnding { state.paths.insert(path) }
      defer { state.listen = nil }
      return (state.isEnding, state.listen)
    }
    if isEnding { waitForTheEnd() }
    listen?()
  }

  /// Forgets what is gone.
  package static func remove(_ path: String) {
    _ = state.withLock { $0.paths.remove(path) }
  }

  /// Puts something in its place; no signal comes between the steps of it.
  package static func uninterrupted<Result>(_ body: () -> Result) -> Result {
    let result = state.withLock { $0.isEnding ? nil : body() }
    guard let result else { waitForTheEnd() }
    return result
  }

  /// What there is. From now on nothing is begun or put in its place any more: the process is about to end.
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
