import Dispatch
import Foundation
import Synchronization

/// The signals that would end the process: SIGINT, SIGTERM and SIGHUP.
///
/// While somebody listens, a signal has work that can be cancelled cancel itself, and the process end by itself; where
/// there is none, what is unfinished (``UnfinishedFiles``) is removed, and the process ends as the signal would have
/// ended it.
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

  /// The signal that came last; nil when none did.
  package static var received: Int32? { state.withLock { $0.received } }

  /// Has signals cancel a piece of work, as long as ``stopCancelling(_:)`` isn't called with the result.
  package static func beginCancelling(_ cancel: @escaping @Sendable () -> Void) -> Int {
    listen()
    return state.withLock { state in
      state.nextCancellation += 1
      state.cancellations[state.nextCancellation] = cancel
      return state.nextCancellation
    }
  }

  /// The work is done.
  package static func stopCancelling(_ number: Int) {
    state.withLock { _ = $0.cancellations.removeValue(forKey: number) }
    stopListening()
  }

  /// Begins to listen.
  package static func listen() {
    let registered = DispatchGroup()
    state.withLock { state in
      state.listeners += 1
      guard state.listeners == 1 else { return }
      // The system's own way would end the program before a source is asked. What whoever began the program has it
      // ignore stays ignored: nohup's goes on when the terminal is gone. 1 is SIG_IGN, which Swift can't compare.
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
    // Nothing is begun that a signal could leave half done before the sources listen.
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
    // Dispatch's own threads don't hear of it otherwise, but the source again.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
}
