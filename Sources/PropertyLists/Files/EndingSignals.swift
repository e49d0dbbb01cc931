import Dispatch
import Foundation
import Synchronization

/// Handles the signals that would terminate the process: SIGINT, SIGTERM and SIGHUP.
///
/// While at least one listener is registered, a signal cancels the cancellable work in progress, and the process exits
/// on its own. If there is no such work, the signal removes unfinished files (``UnfinishedFiles``), and the process
/// terminates as it would have without a handler.
package enum EndingSignals {
  private struct State {
    var listeners = 0
    var numbers: [Int32] = []
    var sources: [any DispatchSourceSignal] = []
    var cancellations: [Int: @Sendable () -> Void] = [:]
    var nextCancellation = 0
    var received: Int32?
  }

  private static let state = Mutex(State())

  /// The most recently received signal; nil if there was none.
  package static var received: Int32? { state.withLock { $0.received } }

  /// Registers a closure that signals call to cancel a piece of work, until ``stopCancelling(_:)`` is called with the
  /// result.
  package static func beginCancelling(_ cancel: @escaping @Sendable () -> Void) -> Int {
    listen()
    return state.withLock { state in
      state.nextCancellation += 1
      state.cancellations[state.nextCancellation] = cancel
      return state.nextCancellation
    }
  }

  /// Unregisters a cancellation after the work is done.
  package static func stopCancelling(_ number: Int) {
    state.withLock { _ = $0.cancellations.removeValue(forKey: number) }
    stopListening()
  }

  /// Starts listening for signals.
  package static func listen() {
    let registered = DispatchGroup()
    state.withLock { state in
      state.listeners += 1
      guard state.listeners == 1 else { return }
      // The default action would terminate the process before a dispatch source runs. Signals that the parent process
      // set to be ignored stay ignored: a command run by nohup keeps running when the terminal closes. 1 is SIG_IGN,
      // which Swift can't compare.
      state.numbers = [SIGINT, SIGTERM, SIGHUP].filter {
        unsafeBitCast(signal($0, SIG_IGN), to: Int.self) != 1
      }
      state.sources = state.numbers.map { number in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { act(on: number) }
        registered.enter()
        source.setRegistrationHandler { registered.leave() }
        source.resume()
        return source
      }
    }
    // Wait until the sources are registered: work started earlier could be left half done by a signal.
    registered.wait()
  }

  private static func stopListening() {
    state.withLock { state in
      state.listeners -= 1
      guard state.listeners == 0 else { return }
      for source in state.sources { source.cancel() }
      for number in state.numbers { signal(number, SIG_DFL) }
      (state.sources, state.numbers) = ([], [])
    }
  }

  private static func act(on number: Int32) {
    let cancellations = state.withLock { state in
      state.received = number
      return Array(state.cancellations.values)
    }
    guard cancellations.isEmpty else { return cancellations.forEach { $0() } }
    for path in UnfinishedFiles.takeAll() { try? FileManager.default.removeItem(atPath: path) }
    signal(number, SIG_DFL)
    // Dispatch blocks signals on its own threads; without unblocking, the source would receive this one again.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
}
