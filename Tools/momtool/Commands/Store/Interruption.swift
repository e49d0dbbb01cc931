import Dispatch
import Foundation

/// Has the signals that would end the program cancel a piece of work, as long as the object is there: what is half done
/// is taken back, and the command ends by itself.
final class Interruption {
  private let signals: [Int32]
  private let sources: [any DispatchSourceSignal]

  /// - Parameter progress: cancelled when a signal comes.
  init(cancelling progress: Progress) {
    // The system's own way would end the program before a source is asked. What whoever began the program has it
    // ignore stays ignored: nohup's goes on when the terminal is gone. 1 is SIG_IGN, which Swift can't compare.
    signals = [SIGINT, SIGTERM, SIGHUP].filter {
      unsafeBitCast(signal($0, SIG_IGN), to: Int.self) != 1
    }
    sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { progress.cancel() }
      source.resume()
      return source
    }
  }

  deinit {
    for source in sources { source.cancel() }
    for number in signals { signal(number, SIG_DFL) }
  }
}
