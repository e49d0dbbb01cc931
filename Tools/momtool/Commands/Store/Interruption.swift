import Dispatch
import Foundation

/// Has the signals that would end the program do something else first, as long as the object is there.
final class Interruption {
  private let signals: [Int32]
  private let sources: [any DispatchSourceSignal]

  /// Cancels a piece of work: what is half done is taken back, and the command ends by itself.
  convenience init(cancelling progress: Progress) {
    self.init { _ in progress.cancel() }
  }

  /// Removes a folder of files that nobody else wants, and ends the program as the signal would have.
  convenience init(removing folder: URL) {
    self.init { number in
      try? FileManager.default.removeItem(at: folder)
      signal(number, SIG_DFL)
      // Dispatch's own threads don't hear of it otherwise, but the source again.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, number)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      raise(number)
    }
  }

  private init(_ act: @escaping @Sendable (Int32) -> Void) {
    // The system's own way would end the program before a source is asked. What whoever began the program has it
    // ignore stays ignored: nohup's goes on when the terminal is gone. 1 is SIG_IGN, which Swift can't compare.
    signals = [SIGINT, SIGTERM, SIGHUP].filter {
      unsafeBitCast(signal($0, SIG_IGN), to: Int.self) != 1
    }
    let registered = DispatchGroup()
    sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { act(number) }
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      source.resume()
      return source
    }
    // Nothing is begun that a signal could leave half done before the sources listen.
    registered.wait()
  }

  deinit {
    for source in sources { source.cancel() }
    for number in signals { signal(number, SIG_DFL) }
  }
}
